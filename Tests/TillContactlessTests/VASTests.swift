import Crypto
import Testing
import TillContactless
import TillCore

@Suite("Loyalty passes")
struct VASTests {
    static let pass = "pass.com.example.loyalty"
    static let ephemeral = "9a781ca6d055a7f30d0c9ff87936c739f6816ef5f5e72b4b946404b0a1a83b2a"

    @Test(
        "Both ways of sealing open to the reference's message",
        arguments: [
            "d0597bd2b7802de32e98e2b33c18ae3dda87953d4727bcbf606279622fbadc",
            "10440bdcef8204a267bf49a0aaf074f6644084b37647a6fcd5f319bfa3cc9e",
        ])
    func vectors(sealed: String) throws {
        let key = try #require(VirtualPass.exampleKey)
        #expect(Hex.text(VASCryptogram.keyID(of: key.publicKey)) == "1B7ECC57")
        let bytes = try Hex.bytes("1b7ecc57" + Self.ephemeral + sealed)
        let cryptogram = try #require(VASCryptogram(bytes))
        let message = try cryptogram.open(keys: [key], passTypeIdentifier: Self.pass)
        #expect(message.message.reveal() == Array("MEMBER-0001".utf8))
        #expect(message.time == Timestamp(milliseconds: (0x2a5b_1c00 + 978_307_200) * 1000))
        #expect(throws: VASError.brokenSeal) { try cryptogram.open(keys: [key], passTypeIdentifier: "pass.other") }
        #expect(throws: VASError.unknownKey) { try cryptogram.open(keys: [.init()], passTypeIdentifier: Self.pass) }
    }

    @Test("A wallet gives its pass and is then read as a card, in one tap")
    func combined() async throws {
        let channel = VirtualCardChannel(.wallet)
        try await channel.waitForCard()
        let merchant = try #require(VASMerchant(passTypeIdentifier: Self.pass))
        let missing = try #require(VASMerchant(passTypeIdentifier: "pass.com.example.other"))
        let entries = try await VASReader().read([merchant, missing], mode: .passAndPayment, over: channel)
        #expect(entries.map(\.status) == [.success, .vasDataNotFound])
        let cryptogram = try #require(entries.first?.cryptogram)
        let key = try #require(VirtualPass.exampleKey)
        let message = try cryptogram.open(keys: [key], passTypeIdentifier: Self.pass)
        #expect(message.message.reveal() == Array("MEMBER-0001".utf8))
        var window = VASReplayWindow()
        try window.take(cryptogram, message, at: message.time)
        #expect(throws: VASError.replayed) { try window.take(cryptogram, message, at: message.time) }
        #expect(throws: VASError.outsideWindow) {
            try window.take(cryptogram, message, at: message.time.adding(.hours(1)))
        }
        let reading = try await ContactlessReader().read(ContactlessReaderTests.request(), over: channel)
        #expect(reading.outcome == .onlineRequest)
    }

    @Test("A card without a wallet says so; a sign-up address must be https and fit")
    func bounds() async throws {
        let merchant = try #require(VASMerchant(passTypeIdentifier: Self.pass))
        await #expect(throws: VASError.notAWallet(.notFound)) {
            let channel = VirtualCardChannel(.visa)
            try await channel.waitForCard()
            _ = try await VASReader().read([merchant], mode: .passOnly, over: channel)
        }
        #expect(VASMerchant(passTypeIdentifier: Self.pass, signUpURL: "http://shop.example") == nil)
        #expect(VASMerchant(passTypeIdentifier: "") == nil)
        for (status, word) in zip(0..., [0x9000, 0x6A83, 0x6287, 0x6B00, 0x6700, 0x6984, 0x6A80, 0x6340] as [UInt16]) {
            #expect(VASStatus(StatusWord(rawValue: word))?.rawValue == status)
        }
    }
}
