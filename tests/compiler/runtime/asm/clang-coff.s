	.def	@feat.00;
	.scl	3;
	.type	0;
	.endef
	.globl	@feat.00
@feat.00 = 0
	.file	"program.c"
	.def	f;
	.scl	2;
	.type	32;
	.endef
	.section	.rdata,"dr"
	.p2align	2, 0x0                          # -- Begin function f
.LCPI0_0:
	.long	0x40400000                      # float 3
	.text
	.globl	f
	.p2align	4
f:                                      # @f
.Lfunc_begin0:
	.cv_func_id 0
	.cv_file	1 "/work/program.c" "9DF616A0BDDA7A6A6B38255724F1AC03" 1
	.cv_loc	0 1 2 0                         # program.c:2:0
.seh_proc f
# %bb.0:
	pushq	%rbp
	.seh_pushreg %rbp
	movq	%rsp, %rbp
	.seh_setframe %rbp, 0
	.seh_endprologue
.Ltmp0:
	.cv_loc	0 1 3 0                         # program.c:3:0
	movss	4(%rcx), %xmm0                  # xmm0 = mem[0],zero,zero,zero
.Ltmp1:
	.cv_inline_site_id 1 within 0 inlined_at 1 3 0
	.cv_loc	1 1 1 0                         # program.c:1:0
	mulss	.LCPI0_0(%rip), %xmm0
.Ltmp2:
	.cv_loc	0 1 3 0                         # program.c:3:0
	movss	%xmm0, (%rcx)
	.cv_loc	0 1 4 0                         # program.c:4:0
	.seh_startepilogue
	popq	%rbp
	.seh_endepilogue
	retq
.Ltmp3:
.Lfunc_end0:
	.seh_endproc
                                        # -- End function
	.section	.debug$S,"dr"
	.p2align	2, 0x0
	.long	4                               # Debug section magic
	.long	241
	.long	.Ltmp5-.Ltmp4                   # Subsection size
.Ltmp4:
	.short	.Ltmp7-.Ltmp6                   # Record length
.Ltmp6:
	.short	4353                            # Record kind: S_OBJNAME
