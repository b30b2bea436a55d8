// What one thread can do: floating-point operations a second from registers, bytes a second from memory of several sizes.
// out: f32 operations a second, f64 operations a second, then (bytes touched, bytes a second) for each size.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
static double now(void) {
  LARGE_INTEGER t, f;
  QueryPerformanceCounter(&t);
  QueryPerformanceFrequency(&f);
  return (double)t.QuadPart / (double)f.QuadPart;
}
#else
#include <time.h>
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
typedef float f32v __attribute__((vector_size(WIDTH)));
typedef double f64v __attribute__((vector_size(WIDTH)));
typedef long long i64v __attribute__((vector_size(WIDTH)));

static volatile double sink;

// Twelve chains of multiply-add that wait for nothing but themselves: more than two units with a latency of five need.
#define CHAINS(NAME, T, E)                                                                   \
  static __attribute__((noinline)) T NAME(long n, T x, T y) {                                \
    T a = x, b = x + y, c = y, d = x - y, e = x * y, f = -x, g = -y, h = y - x;              \
    T i = x + x, j = y + y, k = x * x, l = y * y;                                            \
    for (long r = 0; r < n; r++) {                                                           \
      a = a * x + y; b = b * x + y; c = c * x + y; d = d * x + y; e = e * x + y; f = f * x + y; \
      g = g * x + y; h = h * x + y; i = i * x + y; j = j * x + y; k = k * x + y; l = l * x + y; \
    }                                                                                        \
    return a + b + c + d + e + f + g + h + i + j + k + l;                                    \
  }                                                                                          \
  static double NAME##_rate(void) {                                                          \
    volatile E half = (E)0.5, one = (E)1;                                                    \
    T x = {0}, y = {0};                                                                      \
    x += half; y += one;                                                                     \
    const long n = 200000;                                                                   \
    double best = 1e30;                                                                      \
    for (int r = 0; r < 40; r++) {                                                           \
      double began = now();                                                                  \
      T v = NAME(n, x, y);                                                                   \
      double took = now() - began;                                                           \
      sink = (double)v[0];                                                                   \
      if (took < best) best = took;                                                          \
    }                                                                                        \
    return 24.0 * (WIDTH / sizeof(E)) * (double)n / best;                                    \
  }
CHAINS(chains_f32, f32v, float)
CHAINS(chains_f64, f64v, double)

static __attribute__((noinline)) void copy(i64v* restrict to, const i64v* restrict from, size_t n) {
  for (size_t k = 0; k < n; k += 4) {
    to[k] = from[k]; to[k + 1] = from[k + 1]; to[k + 2] = from[k + 2]; to[k + 3] = from[k + 3];
    __asm__ volatile("" ::: "memory");  // or a compiler calls memcpy, which writes past the caches as no program here does
  }
}

static __attribute__((noinline)) long long total(const i64v* from, size_t n) {
  i64v a = {0}, b = {0}, c = {0}, d = {0};
  for (size_t k = 0; k < n; k += 4) { a += from[k]; b += from[k + 1]; c += from[k + 2]; d += from[k + 3]; }
  a += b + c + d;
  return a[0];
}

// The faster of reading all of it and copying one half to the other.
static double moved(char* p, size_t size) {
  const size_t n = size / sizeof(i64v);
  const long times = size < (1 << 21) ? (1 << 23) / (long)size + 1 : 1;
  double best = 1e30;
  double until = now() + 0.1;
  for (int r = 0; r < 3 || now() < until; r++) {
    double began = now();
    for (long t = 0; t < times; t++) copy((i64v*)p, (const i64v*)p + n / 2, n / 2);
    double middle = now();
    for (long t = 0; t < times; t++) sink = (double)total((const i64v*)p, n);
    double end = now();
    if (middle - began < best) best = middle - began;
    if (end - middle < best) best = end - middle;
  }
  return (double)size * (double)times / best;
}

void uir_peak(double* out) {
  static const size_t sizes[6] = {1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 25, 1 << 27};
  const size_t most = sizes[5];
  char* room = malloc(most + WIDTH);
  if (!room) return;
  char* p = room + (WIDTH - (size_t)room % WIDTH);
  memset(p, 1, most);
  out[0] = chains_f32_rate();
  out[1] = chains_f64_rate();
  for (int k = 0; k < 6; k++) {
    out[2 + 2 * k] = (double)sizes[k];
    out[3 + 2 * k] = moved(p, sizes[k]);
  }
  free(room);
}
