import ArgumentParser
import Foundation
import TillPrinting

/// Feeds the reader of IPP messages what no printer should send. Real messages from files, recorded from printers, are
/// cut, changed, repeated and mixed; the same seed makes the same messages. Each one is refused, or read and written
/// back byte for byte. Memory is limited by the system, so that an allocation without bound ends the run.
@main
struct IPPFuzz: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "ipp-fuzz")

    @Option(name: .long, help: "How many messages.") var messages = 1_000_000
    @Option(name: .long, help: "The seed.") var seed: UInt64 = 1
    @Option(name: .long, help: "The most memory that the process may take, in MiB.") var memory = 1_024
    @Argument(help: "Messages to begin with, as files.") var files: [String] = []

    func run() throws {
        #if os(Linux)
            var limit = rlimit(rlim_cur: rlim_t(memory) << 20, rlim_max: rlim_t(memory) << 20)
            guard setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else {
                throw ValidationError("The memory could not be limited.")
            }
        #endif
        var maker = MessageMaker(seed: seed, originals: try originals())
        let (clock, start) = (ContinuousClock(), ContinuousClock.now)
        var (read, refused, bytes, longest) = (0, 0, 0, Duration.zero)
        for number in 0..<messages {
            let message = maker.next()
            bytes += message.count
            let begin = clock.now
            do {
                let known = try IPPMessage(parsing: message)
                guard known.bytes == message else {
                    print("Message \(number) was not written back as it was read.")
                    throw ExitCode(1)
                }
                read += 1
            } catch is IPPError { refused += 1 }
            longest = max(longest, clock.now - begin)
        }
        let seconds = Double((clock.now - start) / .milliseconds(1)) / 1_000
        print("messages \(messages), read and written back \(read), refused \(refused), traps 0")
        print("bytes \(bytes), seconds \(seconds), messages a second \(Int(Double(messages) / max(seconds, 0.001)))")
        print("longest one \(longest), most memory \(IPPFuzz.peak()), limit \(memory) MiB, seed \(seed)")
    }

    /// The files, and one message of every kind of value, small enough to be changed in every place.
    private func originals() throws -> [[UInt8]] {
        let attributes = [
            IPPAttribute("attributes-charset", .text("utf-8", tag: IPPTag.charset)),
            IPPAttribute("numbers", .integer(-1), .enumeration(11), .boolean(true)),
            IPPAttribute("range", IPPValue(tag: IPPTag.range, .range(4_800, 8_000))),
            IPPAttribute("resolution", IPPValue(tag: IPPTag.resolution, .resolution(203, 203, 3))),
            IPPAttribute("with-language", IPPValue(tag: 0x35, .bytes([0, 2, 0x65, 0x6E, 0, 1, 0xFF]))),
            IPPAttribute(
                "media", .collection([IPPAttribute("size", .collection([IPPAttribute("x", .integer(8_000))]))])),
        ]
        let small = IPPMessage(code: 0, requestID: 7, groups: [.init(tag: 1, attributes)], data: [1, 2, 3]).bytes
        return [small] + (try files.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) })
    }

    /// As the system counts it.
    private static func peak() -> String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.map { $0.dropFirst(6).trimmingCharacters(in: .whitespaces) } ?? "not known"
    }
}

/// Makes broken messages, the same for the same seed.
struct MessageMaker {
    private var state: UInt64
    private let originals: [[UInt8]]

    init(seed: UInt64, originals: [[UInt8]]) {
        state = seed | 1
        self.originals = originals
    }

    private mutating func pick(_ below: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(max(1, below)))
    }

    /// The next message.
    mutating func next() -> [UInt8] {
        // The recorded ones are long: one in eight, so that ten million are done in minutes.
        var bytes = pick(8) == 0 ? originals[pick(originals.count)] : originals[0]
        switch pick(64) {
        case 0: return (0..<pick(200)).map { _ in UInt8(truncatingIfNeeded: pick(256)) }
        case 1: return deep()
        default: break
        }
        for _ in 0...pick(6) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8(truncatingIfNeeded: pick(256))) }
        let place = pick(bytes.count)
        switch pick(8) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: pick(256))
        case 1: bytes[place] ^= 1 << UInt8(pick(8))
        case 2: bytes.removeLast(pick(min(bytes.count, 40)))
        case 3: bytes.insert(UInt8(truncatingIfNeeded: pick(256)), at: place)
        // Tags and lengths that mean much.
        case 4: bytes[place] = [0x00, 0x01, 0x03, 0x34, 0x37, 0x4A, 0x7F, 0xFF][pick(8)]
        case 5:
            let part = Array(bytes[place..<min(bytes.count, place + 1 + pick(60))])
            bytes.insert(contentsOf: part, at: pick(bytes.count))
        case 6: bytes.removeSubrange(place..<min(bytes.count, place + 1 + pick(12)))
        default:
            let other = originals[pick(originals.count)]
            let start = pick(other.count)
            bytes.insert(contentsOf: other[start..<min(other.count, start + pick(64))], at: place)
        }
    }

    /// Collections in collections.
    private mutating func deep() -> [UInt8] {
        var bytes: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 1, 4, 0x34, 0, 1, 0x61, 0, 0]
        let depth = pick(40)
        for _ in 0..<depth { bytes += [0x4A, 0, 0, 0, 1, 0x61, 0x34, 0, 0, 0, 0] }
        for _ in 0..<pick(depth + 2) { bytes += [0x37, 0, 0, 0, 0] }
        return bytes + [3]
    }
}
