/// Reads loyalty passes from a phone's wallet over a channel.
///
/// ```swift
/// import Crypto
///
/// guard let pass = VASMerchant(passTypeIdentifier: "pass.com.example.loyalty") else { return }
/// for entry in try await VASReader().read([pass], mode: .passAndPayment, over: channel) {
///     guard let cryptogram = entry.cryptogram else { continue }
///     let opened = try cryptogram.open(keys: [key], passTypeIdentifier: entry.merchant.passTypeIdentifier)
///     print("A pass of \(opened.message.reveal().count) bytes, read at \(opened.time)")
/// }
/// ```
public struct VASReader: Sendable {
    /// The maximum number of passes requested in one tap.
    public static let mostPasses = 8

    /// The wallet's response for one pass.
    public struct Entry: Sendable {
        /// The pass requested.
        public let merchant: VASMerchant
        /// The status word, as received.
        public let word: StatusWord
        /// The status, if known.
        public let status: VASStatus?
        /// The encrypted message, if any.
        public let cryptogram: VASCryptogram?
    }

    /// Creates a reader. It keeps no state between taps.
    public init() {}

    /// Requests each pass in turn from a phone that is already in the field.
    /// - Throws: ``VASError``. No money is involved.
    public func read(
        _ merchants: [VASMerchant], mode: VASMode, over channel: any CardChannel
    ) async throws(VASError) -> [Entry] {
        let selected = try await send(.select(Array("OSE.VAS.01".utf8)), channel)
        guard selected.status == .done, let objects = DataObject.parse(ifValid: selected.data),
            objects.first(0x50)?.value == Array("ApplePay".utf8)
        else { throw .notAWallet(selected.status) }
        guard objects.first(0x9F21)?.value == [0x01, 0x00] else { throw .notAWallet(StatusWord(rawValue: 0x6340)) }
        var entries: [Entry] = []
        let asked = merchants.prefix(mode == .passOnly ? 1 : VASReader.mostPasses)
        for (index, merchant) in asked.enumerated() {
            let command = VASReader.command(merchant, mode: mode, isLast: index == asked.count - 1)
            let answer = try await send(command, channel)
            let cryptogram = DataObject.parse(ifValid: answer.data)?.first(0x9F27).flatMap { VASCryptogram($0.value) }
            entries.append(
                Entry(
                    merchant: merchant, word: answer.status, status: VASStatus(answer.status),
                    cryptogram: answer.status == .done ? cryptogram : nil))
        }
        return entries
    }

    /// Returns the GET VAS DATA command for one pass.
    static func command(_ merchant: VASMerchant, mode: VASMode, isLast: Bool) -> CommandAPDU {
        var data = DataObject(0x9F22, [0x01, 0x00]).encoded
        data += DataObject(0x9F28, [0, 0, 0, 0]).encoded
        data += DataObject(0x9F26, [0x00, 0x80, 0x00, (isLast ? 0x00 : 0x80) | mode.rawValue]).encoded
        data += DataObject(0x9F25, merchant.identifierHash).encoded
        if let url = merchant.signUpURL { data += DataObject(0x9F29, Array(url.utf8)).encoded }
        return CommandAPDU(0x80, 0xCA, 0x01, 0x01, data: data)
    }

    private func send(_ command: CommandAPDU, _ channel: any CardChannel) async throws(VASError) -> ResponseAPDU {
        do { return try await channel.transmit(command) } catch { throw .channel(error) }
    }
}
