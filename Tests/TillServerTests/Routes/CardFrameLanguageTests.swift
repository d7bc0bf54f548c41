import Testing
import TillCore
@testable import TillFeatureCardFields
import TillReceipts

@Suite("The language of the card fields")
struct CardFrameLanguageTests {
    @Test("is the one that was asked for, else the browser's, else English")
    func order() {
        let table: [(asked: String?, accepted: String?, tag: String)] = [
            ("de", "fr", "de"), ("de-AT", nil, "de-AT"), ("DE_ch", nil, "de-CH"), ("fr-CA", "en", "fr-CA"),
            ("iw", nil, "he"), ("ar-Arab-EG", nil, "ar-EG"), ("de-u-nu-latn", nil, "de"),
            ("sv", "pl", "pl"), (nil, "pl", "pl"), ("", "ja", "ja"), (nil, nil, "en"), ("sv", nil, "en"),
            ("sv", "", "en"),
            (nil, "sv, de;q=0.5, it;q=0.8", "it"), (nil, "de;q=0.8,it;q=0.8", "de"), (nil, "sv,*;q=0.1", "en"),
            (nil, "de;q=0, es;q=0.001", "es"), (nil, "fr; Q=0.9 , he ; q=1.0", "he"),
            (nil, "de;q=nan,it;q=inf,es;q=-1,pl;q=2,ja;q=0.1", "ja"), (nil, ",;,;q=1,de", "de"),
        ]
        for (asked, accepted, tag) in table {
            #expect(
                CardFrameLanguage.chosen(asked: asked, accepted: accepted).tag == tag,
                "\(asked ?? "nil"), \(accepted ?? "nil")")
        }
    }

    @Test("has no character of markup, whatever is asked for")
    func hostile() {
        let texts = [
            "de\"><script>", "de-\"\"", "de-<>", "de-12", "de-é1", "de-\u{0}\u{0}", "de--", "-de", "{origin}",
            String(repeating: "de-", count: 1_000), "de,fr", "\u{202E}de",
        ]
        for text in texts {
            for language in [
                CardFrameLanguage.chosen(asked: text, accepted: nil), .chosen(asked: nil, accepted: text),
            ] {
                let parts = language.tag.split(separator: "-", omittingEmptySubsequences: false)
                #expect(ReceiptLabels.languages.contains(String(parts[0])) && parts.count <= 2)
                #expect(language.tag.utf8.allSatisfy { $0 == 0x2D || (0x41...0x5A ~= $0) || (0x61...0x7A ~= $0) })
            }
        }
    }

    @Test("runs from right to left in Arabic and Hebrew alone")
    func direction() {
        let fromTheRight = ReceiptLabels.languages.filter { CardFrameLanguage($0)?.isRightToLeft == true }
        #expect(fromTheRight == ["ar", "he"])
    }

    @Test("a reason that a customer is not told has the code of the neutral one")
    func reasons() {
        for reason in [DeclineReason.fraud, .generic, .authorizationExpired, DeclineReason(rawValue: "stolen_card")] {
            #expect(CustomerPaymentState.declined(reason).declineReason == "generic_decline")
        }
        #expect(CustomerPaymentState.declined(.insufficientFunds).declineReason == "insufficient_funds")
        #expect(CustomerPaymentState.paid.declineReason == nil)
    }
}
