	.file	"program.c"
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0                          # -- Begin function f
.LCPI0_0:
	.long	0x40400000                      # float 3
	.text
	.globl	f
	.p2align	4
	.type	f,@function
f:                                      # @f
.Lfunc_begin0:
	.file	1 "/work" "program.c"
	.loc	1 2 0                           # program.c:2:0
	.cfi_startproc
# %bb.0:
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
.Ltmp0:
	.loc	1 3 17 prologue_end             # program.c:3:17
	movss	4(%rdi), %xmm0                  # xmm0 = mem[0],zero,zero,zero
.Ltmp1:
	.loc	1 1 48                          # program.c:1:48 @[ program.c:3:10 ]
	mulss	.LCPI0_0(%rip), %xmm0
.Ltmp2:
	.loc	1 3 8                           # program.c:3:8
	movss	%xmm0, (%rdi)
	.loc	1 4 1 epilogue_begin            # program.c:4:1
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.Ltmp3:
.Lfunc_end0:
	.size	f, .Lfunc_end0-f
	.cfi_endproc
                                        # -- End function
	.section	.debug_abbrev,"",@progbits
	.byte	1                               # Abbreviation Code
	.byte	17                              # DW_TAG_compile_unit
	.byte	1                               # DW_CHILDREN_yes
	.byte	37                              # DW_AT_producer
	.byte	14                              # DW_FORM_strp
	.byte	19                              # DW_AT_language
	.byte	5                               # DW_FORM_data2
	.byte	3                               # DW_AT_name
