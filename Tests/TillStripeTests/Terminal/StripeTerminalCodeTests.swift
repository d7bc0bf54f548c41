import Foundation
import Testing
import TillCore
import TillHardware
import TillStripe

@Suite struct StripeTerminalCodeTests {
    private static let page = CardReaderErrorPage.markdown + StripeTerminalCode.markdown

    /// `TILL_WRITE_DOCS=1` writes the page anew.
    @Test func thePageOfTheDocumentationIsWhatTheCodeSays() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "docs/CARD_READER_ERRORS.md")
        if ProcessInfo.processInfo.environment["TILL_WRITE_DOCS"] == "1" {
            try Data(StripeTerminalCodeTests.page.utf8).write(to: file)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == StripeTerminalCodeTests.page, "Run with TILL_WRITE_DOCS=1 to write the page anew.")
    }

    @Test func everyCodeHasAPlaceAndUnknownOnesKeepTheirValue() {
        #expect(StripeTerminalCode.sdk.count == 159)
        #expect(Set(StripeTerminalCode.sdk.map(\.number)).count == 159)
        for code in StripeTerminalCode.sdk {
            let failure = CardReaderFailure(stripeSDK: code.number)
            #expect(failure.underlyingError == code.underlyingError)
            #expect(failure.underlyingError.sentence != nil, "\(code.number)")
            #expect(failure.underlyingError != .internalServiceError, "\(code.number)")
            #expect(failure.details.providerCode == .sdk(code.number))
        }
        let words = [
            "terminal_reader_busy", "terminal_reader_offline", "terminal_reader_timeout",
            "terminal_reader_hardware_fault", "terminal_reader_invalid_location_for_payment",
            "terminal_reader_invalid_location_for_activation", "terminal_location_country_unsupported",
            "intent_invalid_state", "lock_timeout", "idempotency_key_in_use", "card_declined", "amount_too_small",
            "amount_too_large",
        ]
        for word in words {
            #expect(CardReaderFailure(stripeAPI: word).underlyingError.sentence != nil, "\(word)")
            #expect(CardReaderFailure(stripeAPI: word).details.providerCode == .api(word))
        }
        for number in [0, -1, 9999, Int.max] {
            let failure = CardReaderFailure(stripeSDK: number)
            #expect(failure.underlyingError.rawValue == "terminal_sdk_\(number)")
            #expect(failure.details.providerCode == .sdk(number))
            // What is not known may have happened.
            #expect(CardReaderServiceError(.capturePayment, failure).moneyMoved == .unknown)
        }
        let future = "terminal_reader_on_fire"
        #expect(CardReaderFailure(stripeAPI: future).underlyingError.rawValue == future)
    }

    @Test func allUpdateErrorsAreKnownAsSuch() {
        let numbers = [2650, 2660, 2670, 3800, 3830, 3840]
        for number in numbers { #expect(CardReaderFailure(stripeSDK: number).underlyingError.isSoftwareUpdateError) }
    }

    @Test func anAmountBeyondStripesLimitsIsRefusedBeforeAReaderWakes() throws {
        for (minor, currency, why): (Int64, Currency, UnderlyingError) in [
            (49, .usd, .amountTooSmall), (29, .gbp, .amountTooSmall), (49, .jpy, .amountTooSmall),
            (100_000_000, .usd, .amountTooLarge), (.max, .kwd, .amountTooLarge),
        ] {
            let failure = #expect(throws: CardReaderFailure.self) {
                try AmountLimits.stripe.check(Money(minorUnits: minor, currency: currency))
            }
            #expect(failure?.underlyingError == why)
        }
        try AmountLimits.stripe.check(Money(minorUnits: 50, currency: .usd))
    }
}
