import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureStaff

@testable import TillServer

@Suite("Passwords of the back office")
struct PasswordPolicyTests {
    private let policy = PasswordPolicy(shop: "Corner Bakery")

    private func verdict(_ text: String, _ name: String = "Olga Brandt") -> StaffError? {
        do throws(StaffError) {
            try policy.check(PasswordPolicy.normalized(Secret(text)), of: name)
            return nil
        } catch { return error }
    }

    @Test("Twelve to 128 characters of any kind are taken")
    func length() {
        for text in [
            "gravel tulip", "кошка на окне", "🦊🐢🌧️🥾🪵🧭🍋🪁🛶🪲🧊🎏", "        .   ,", "4111111111111111 rest",
            String(repeating: "ab cd ef", count: 16),
        ] { #expect(verdict(text) == nil, "\(text)") }
        for text in ["", "gravel tuli", String(repeating: "gravel t", count: 16) + "x"] {
            #expect(verdict(text) == .invalidPassword, "\(text)")
        }
    }

    @Test("What everybody tries first is refused, with digits and signs around it and in them too")
    func common() {
        for text in [
            "password1234", "Password!2026", "P@ssw0rd12345", "passwordpassword", "123456789012", "aaaaaaaaaaaa",
            "abababababab", "qwertyuiopas", "1q2w3e4r5t6y", "administrator", "correcthorsebatterystaple",
            "iloveyou!!!!!", "abcdefghijkl", "987654321098", "welcomewelcome", "letmeinletmein",
        ] { #expect(verdict(text) == .weakPassword, "\(text)") }
    }

    @Test("What is known of the person and the shop does not make it long")
    func context() {
        for text in ["OlgaBrandt2026", "cornerbakery1", "Bakery-Corner!", "olga-password", "till-bakery-99"] {
            #expect(verdict(text) == .weakPassword, "\(text)")
        }
        #expect(verdict("olga swims to norway") == nil)
    }

    @Test("One look is one password, however it was typed")
    func normalization() {
        let (composed, decomposed) = ("caf\u{e9} gravel tulip", "cafe\u{301} gravel tulip")
        let texts = [composed, decomposed].map { PasswordPolicy.normalized(Secret($0)).reveal() }
        #expect(Array(texts[0].utf8) == Array(texts[1].utf8))
    }
}
