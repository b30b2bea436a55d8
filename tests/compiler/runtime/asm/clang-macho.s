	.build_version macos, 15, 0
	.section	__TEXT,__text,regular,pure_instructions
	.globl	_f                              ; -- Begin function f
	.p2align	2
_f:                                     ; @f
Lfunc_begin0:
	.cfi_startproc
; %bb.0:
	.file	1 "/work" "program.c"
	.loc	1 3 17 prologue_end             ; program.c:3:17
	ldr	s0, [x0, #4]
	fmov	s1, #3.00000000
Ltmp0:
	.loc	1 1 48                          ; program.c:1:48 @[ program.c:3:10 ]
	fmul	s0, s0, s1
Ltmp1:
	.loc	1 3 8                           ; program.c:3:8
	str	s0, [x0]
	.loc	1 4 1                           ; program.c:4:1
	ret
Ltmp2:
Lfunc_end0:
	.cfi_endproc
                                        ; -- End function
	.section	__DWARF,__debug_abbrev,regular,debug
Lsection_abbrev:
	.byte	1                               ; Abbreviation Code
	.byte	17                              ; DW_TAG_compile_unit
	.byte	1                               ; DW_CHILDREN_yes
	.byte	37                              ; DW_AT_producer
	.byte	14                              ; DW_FORM_strp
	.byte	19                              ; DW_AT_language
	.byte	5                               ; DW_FORM_data2
