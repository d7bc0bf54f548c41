import Testing
import TillCore
import TillTestSupport

/// The integers of apps, held against those of the library.
@Suite("Integers of 128 bits")
struct WideIntegerTests {
    private static let edges: [Int128] = {
        let decimals: [Int128] = [
            3, 10, 1_000_000_007, 1_000_000_000_000_000_000, 1_000_000_000_000_000_000_000_000_000_000,
        ]
        let powers = [0, 1, 31, 32, 62, 63, 64, 65, 95, 126].map { Int128(1) << Int128($0) }
        let middle = decimals + powers
        var all: [Int128] = [.min, .max]
        for number in middle {
            let near: [Int128] = [number - 1, number, number + 1]
            all += near
            all += near.map { -$0 }
        }
        return all
    }()

    private static func wide(_ number: Int128) -> WideInteger {
        let half: WideInteger = 4_294_967_296
        let low = UInt64(truncatingIfNeeded: number)
        let upper = WideInteger(Int64(number >> 64))
        let middle = WideInteger(Int64(low >> 32))
        let lower = WideInteger(Int64(low & 0xFFFF_FFFF))
        return upper * half * half + middle * half + lower
    }

    /// Returns the operations whose results differ.
    private static func differences(_ a: Int128, _ b: Int128) -> [String] {
        let (x, y) = (wide(a), wide(b))
        var wrong: [String] = []
        func same(_ name: String, _ isSame: Bool) { if !isSame { wrong.append("\(a) \(name) \(b)") } }
        let (sum, sumOverflow) = a.addingReportingOverflow(b)
        let wideSum = x.addingReportingOverflow(y)
        same("+", wideSum.overflow == sumOverflow && wideSum.partialValue.description == "\(sum)")
        let (rest, restOverflow) = a.subtractingReportingOverflow(b)
        let wideRest = x.subtractingReportingOverflow(y)
        same("-", wideRest.overflow == restOverflow && wideRest.partialValue.description == "\(rest)")
        let (product, productOverflow) = a.multipliedReportingOverflow(by: b)
        same("*", x.multiplied(ifExact: y)?.description == (productOverflow ? nil : "\(product)"))
        if b != 0, !(a == .min && b == -1) {
            let (quotient, remainder) = x.quotientAndRemainder(dividingBy: y)
            same("/", quotient.description == "\(a / b)" && remainder.description == "\(a % b)")
            same("/", x / y == wide(a / b) && x % y == wide(a % b))
        }
        same("<", (x < y) == (a < b) && (x == y) == (a == b))
        return wrong
    }

    @Test("every operation at the edges")
    func atEdges() {
        for a in Self.edges {
            let wrong = Self.edges.flatMap { Self.differences(a, $0) }
            #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        }
    }

    @Test("every operation with numbers of every length")
    func lengths() {
        var random = SeededRandom(seed: 128)
        func number() -> Int128 {
            let bits = Int128(truncatingIfNeeded: random.next()) << 64 | Int128(random.next())
            return bits >> Int128(random.below(128))
        }
        for _ in 0..<20_000 {
            let wrong = Self.differences(number(), number())
            #expect(wrong.isEmpty, "\(wrong)")
        }
    }

    @Test("one number: its digits, sign, distance and 64 bits")
    func single() {
        for number in Self.edges {
            let wide = Self.wide(number)
            #expect(wide.description == "\(number)")
            #expect(Int64(exactly: wide) == Int64(exactly: number))
            #expect(Int64(clamping: wide) == Int64(clamping: number))
            guard number != .min else { continue }
            #expect(wide.magnitude.description == "\(number.magnitude)")
            #expect((-wide).description == "\(-number)")
        }
        #expect(WideInteger(Int64.min).description == "\(Int64.min)")
        #expect(WideInteger(Int.max) == WideInteger(Int64.max))
        #expect((-5 as WideInteger) < 0)
    }
}
