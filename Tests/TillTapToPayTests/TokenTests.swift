import Testing
import TillTapToPay

@Suite struct TokenTests {
    @Test func tokenIsSeenNowhereButInItsRawValue() {
        let token = PaymentCardReader.Token(rawValue: "secret-text")
        var dumped = ""
        dump(token, to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains("secret-text"))
        #expect(token.rawValue == "secret-text")
    }
}
