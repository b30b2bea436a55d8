// Elements as they come from the server: bytes to numbers.

export type Scalar = number | bigint | boolean
type Data = Float64Array | Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array

const SIZES: Record<string, number> = { bool: 1, i8: 1, u8: 1, i16: 2, u16: 2, f16: 2, i32: 4, u32: 4, f32: 4, i64: 8, u64: 8, f64: 8 }

/** Row-major elements of one dtype. */
export class Values {
  constructor(
    readonly dtype: string,
    readonly shape: readonly number[],
    readonly raw: Data,
  ) {}

  get count(): number {
    return this.raw.length
  }

  /** The element as it is: exact, also for 64-bit integers. */
  at(k: number): Scalar | undefined {
    const value = this.raw[k]
    return this.dtype === 'bool' && value !== undefined ? value !== 0 : value
  }

  /** The element as a number, for drawing; NaN outside. */
  number(k: number): number {
    const value = this.raw[k]
    return value === undefined ? NaN : Number(value)
  }

  /** A rectangle of a matrix, or a stretch of a vector (of one row). */
  window(rows: readonly [number, number, number], columns: readonly [number, number, number]): Values {
    const width = this.shape.at(-1) ?? 1
    const height = Math.ceil((rows[1] - rows[0]) / rows[2])
    const across = Math.ceil((columns[1] - columns[0]) / columns[2])
    const made = this.raw.slice(0, 0).constructor as new (length: number) => Data
    const data = new made(Math.max(0, height * across))
    for (let r = 0, k = 0; r < height; r++) {
      const start = (rows[0] + r * rows[2]) * width + columns[0]
      for (let c = 0; c < across; c++, k++) data[k] = this.raw[start + c * columns[2]] as never
    }
    return new Values(this.dtype, [height, across], data)
  }
}

/** Little-endian bytes as values. Throws when their number does not fit the shape. */
export function decode(dtype: string, shape: readonly number[], bytes: Uint8Array): Values {
  const size = SIZES[dtype]
  const count = shape.reduce((product, extent) => product * extent, 1)
  if (size === undefined || bytes.byteLength !== count * size) throw new Error(`${bytes.byteLength} bytes are no ${dtype}[${shape.join(', ')}]`)
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice()
  return new Values(dtype, shape, read(dtype, aligned.buffer as ArrayBuffer, aligned.byteOffset, count))
}

function read(dtype: string, buffer: ArrayBuffer, offset: number, count: number): Data {
  switch (dtype) {
    case 'i8': return new Int8Array(buffer, offset, count)
    case 'i16': return new Int16Array(buffer, offset, count)
    case 'u16': return new Uint16Array(buffer, offset, count)
    case 'i32': return new Int32Array(buffer, offset, count)
    case 'u32': return new Uint32Array(buffer, offset, count)
    case 'f32': return new Float32Array(buffer, offset, count)
    case 'f64': return new Float64Array(buffer, offset, count)
    case 'i64': return new BigInt64Array(buffer, offset, count)
    case 'u64': return new BigUint64Array(buffer, offset, count)
    case 'f16': return Float32Array.from(new Uint16Array(buffer, offset, count), half)
    default: return new Uint8Array(buffer, offset, count)
  }
}

/** The value of a 16-bit float's bits. */
export function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
