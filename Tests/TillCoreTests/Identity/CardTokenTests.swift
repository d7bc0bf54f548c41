import Testing
import TillCore

@Suite("A card that the provider's own fields took")
struct CardTokenTests {
    @Test("Is taken as the provider writes it", arguments: ["pm_1PQrst2eZvKYlo2C", "tokencc_bf_a-1_b", "x"])
    func taken(_ text: String) {
        #expect(CardToken(text)?.value.reveal() == text)
    }

    @Test(
        "Is refused if it cannot be one",
        arguments: [
            "", "4242424242424242", "4242-4242-4242-4242", "pm 1", "pm_1\n", "pm_ä", "pm&x=1", "<nonce>",
            String(repeating: "a", count: 256),
        ])
    func refused(_ text: String) {
        #expect(CardToken(text) == nil)
    }

    @Test("Appears nowhere, and says nothing of the card")
    func masked() throws {
        let token = try #require(CardToken("pm_secret"))
        #expect(!"\(token)".contains("secret") && !String(reflecting: token).contains("secret"))
        #expect(Tender.token(token).summary == TenderSummary(kind: .card))
    }
}
