// How fast data objects are read, how long a tap takes, and that no answer of a card traps the reader.
//
//   contactless-benchmark tlv|tap|fuzz [COUNT]|pcsc [READER]|card PORT
import Dispatch
import TillContactless
import TillCore
import TillPCSC
import TillStandInCard

/// 106 bytes, eight leaves in one template: what a card answers to GET PROCESSING OPTIONS.
enum Sample {
    static let template: [UInt8] = {
        let leaves: [DataObject] = [
            DataObject(0x82, [0x20, 0x00]), DataObject(0x94, [0x08, 1, 3, 1]), DataObject(0x9F36, [0, 1]),
            DataObject(0x9F26, [1, 2, 3, 4, 5, 6, 7, 8]), DataObject(0x9F10, [UInt8](repeating: 6, count: 32)),
            DataObject(0x57, [UInt8](repeating: 0x47, count: 19)), DataObject(0x5F34, [1]),
            DataObject(0x9F6C, [0x40, 0x00]),
        ]
        return DataObject(0x77, leaves).encoded
    }()
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let begin = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
}

func best(_ rounds: Int = 5, _ body: () throws -> Void) rethrows -> Double {
    try (0..<rounds).map { _ in try seconds(body) }.min() ?? 0
}

func tlv() throws {
    let rounds = 1_000_000
    var sum = 0
    let walked = try best {
        for _ in 0..<rounds {
            var outer = TagValueReader(Sample.template)
            while let element = try outer.next() {
                var inner = TagValueReader(Sample.template, in: element.value)
                while let leaf = try inner.next() { sum &+= leaf.value.lowerBound }
            }
        }
    }
    let modelled = try best { for _ in 0..<rounds { sum &+= try DataObject.parse(Sample.template).count } }
    let bytes = Double(Sample.template.count * rounds)
    print("template: \(Sample.template.count) bytes, 8 leaves (\(sum & 1))")
    print("walk:  \(Int(bytes / walked / 1e6)) MB/s, \(walked / Double(rounds) * 1e9) ns each")
    print(
        "model: \(Int(Double(rounds) / modelled / 1000)) thousand templates/s, \(modelled / Double(rounds) * 1e9) ns each"
    )
    print("hex: \(Hex.text(Sample.template))")
}

func report(_ name: String, _ times: [Double]) {
    let sorted = times.sorted()
    guard let last = sorted.last else { return }
    let middle = sorted[sorted.count / 2]
    print("\(name): median \(middle * 1000) ms, slowest \(last * 1000) ms of \(sorted.count)")
}

func request() -> TapRequest { TapRequest(amount: Money(minorUnits: 1250, currency: .eur), time: SystemClock().now()) }

func tap() async throws {
    let reader = ContactlessReader(authorities: .virtual)
    for card in [VirtualCard.visa, .mastercard] {
        var times: [Double] = []
        for _ in 0..<200 {
            let channel = VirtualCardChannel(card)
            let begin = DispatchTime.now().uptimeNanoseconds
            let reading = try await reader.read(request(), over: channel)
            guard reading.authentication == .verified else { return print("\(card.name): not verified") }
            times.append(Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9)
        }
        report("tap in process, \(card.name), card's and reader's work with data authentication", times)
    }
}

func pcsc(_ name: String?) async throws {
    let reader = ContactlessReader(authorities: .virtual)
    let channel = PCSCChannel(reader: name)
    var times: [Double] = []
    for _ in 0..<50 {
        try await channel.waitForCard()
        let begin = DispatchTime.now().uptimeNanoseconds
        _ = try await reader.read(request(), over: Powered(channel: channel))
        times.append(Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9)
        await channel.powerOff()
    }
    report("tap over pcscd, from the powered card on", times)
}

/// A card that is powered already, so that the reader's resets are not in the figure.
struct Powered: CardChannel {
    let channel: PCSCChannel
    func waitForCard() async throws(CardChannelError) {}
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await channel.transmit(command)
    }
    func powerOff() async {}
}

func fuzz(_ count: Int) async {
    let reader = ContactlessReader(profile: TerminalProfile(acceptance: .anyCard), authorities: .virtual)
    var (answers, read, refused, approved) = (0, 0, 0, 0)
    var seed: UInt64 = 0
    let begin = DispatchTime.now().uptimeNanoseconds
    while answers < count {
        let card = ScrambledCard(seed: seed)
        seed += 1
        do throws(TapError) {
            let reading = try await reader.read(request(), over: card)
            read += 1
            if reading.outcome == .approved { approved += 1 }
        } catch { refused += 1 }
        answers += await card.sent
    }
    let time = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
    print(
        "\(answers) scrambled answers in \(seed) taps: \(read) read, \(refused) refused by name, \(approved) approved; \(time) s"
    )
}

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "tlv": try tlv()
case "tap": try await tap()
case "pcsc": try await pcsc(arguments.count > 1 ? arguments[1] : nil)
case "fuzz": await fuzz(arguments.count > 1 ? Int(arguments[1]) ?? 1_000_000 : 1_000_000)
case "card":
    // The card for `pcsc`, in a process of its own.
    try await VirtualCardSlot(.visa, port: arguments.count > 1 ? Int(arguments[1]) ?? 35_963 : 35_963).run()
default: print("contactless-benchmark tlv|tap|fuzz [COUNT]|pcsc [READER]|card PORT")
}
