import Foundation
import Testing
import TillCore

@testable import TillHardware

@Suite struct CardReaderErrorTests {
    /// `TILL_WRITE_DOCS=1` writes the page anew.
    @Test func thePageOfTheDocumentationIsWhatTheCodeSays() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = root.appending(path: "docs/CARD_READER_ERRORS.md")
        if ProcessInfo.processInfo.environment["TILL_WRITE_DOCS"] == "1" {
            try Data(CardReaderErrorPage.markdown.utf8).write(to: page)
        }
        let written = try String(contentsOf: page, encoding: .utf8)
        #expect(written == CardReaderErrorPage.markdown, "Run with TILL_WRITE_DOCS=1 to write the page anew.")
    }

    @Test func everyReasonIsListedOnceWithASentenceAndARemedy() {
        let all = UnderlyingErrorTable.all
        #expect(Set(all.map(\.error)).count == all.count)
        for facts in all {
            #expect(facts.sentence.hasSuffix("."), "\(facts.error)")
            #expect(facts.error.sentence == facts.sentence)
            #expect(facts.error.rawValue.wholeMatch(of: /[a-z0-9_]+/) != nil)
        }
        for code in StripeTerminalCode.sdk { #expect(UnderlyingErrorTable.facts(of: code.underlyingError) != nil) }
    }

    @Test func theCaseSaysWhichInteractionFailedAndThePayloadWhy() {
        for interaction in CardReaderServiceError.Interaction.allCases {
            let error = CardReaderServiceError(interaction, .readerBusy)
            #expect(error.interaction == interaction)
            #expect(error.underlyingError == .readerBusy)
            #expect(error.moneyMoved == .no)
            #expect(
                error.description == "The card reader is busy with something else. No money moved. "
                    + "Wait a moment, then try again.")
        }
        // As clients of the first version wrote it.
        let error = CardReaderServiceError.discovery()
        guard case .discovery(let underlyingError, _) = error else {
            Issue.record("not a discovery")
            return
        }
        #expect(underlyingError == .internalServiceError)
    }

    @Test func onlyAskingForMoneyAndGivingItBackCanLeaveItOpen() {
        let timeOut = CardReaderFailure(terminalSDK: 9010)
        for interaction in CardReaderServiceError.Interaction.allCases {
            let isOpen = interaction == .capturePayment || interaction == .refundPayment
            let error = CardReaderServiceError(interaction, timeOut)
            #expect(error.moneyMoved == (isOpen ? .unknown : .no))
            if isOpen { #expect(error.retry == .confirmOriginal) }
        }
        #expect(CardReaderServiceError(.capturePayment, .cardRemoved).moneyMoved == .no)
        #expect(CardReaderServiceError(.capturePayment, .cardRemoved).retry == .sameIntent)
        #expect(CardReaderServiceError(.refundCreation, .cardRemoved).retry == .startAgain)
    }

    @Test(arguments: ["lost_card", "stolen_card", "fraudulent", "generic_decline"])
    func theCustomerIsNotToldThatACardIsLostOrStolen(code: String) {
        var details = CardReaderErrorDetails()
        let reason: DeclineReason = code == "generic_decline" ? .generic : .fraud
        details.decline = Decline(reason: reason, code: code, message: "m", requestID: "req_9")
        let error = CardReaderServiceError(.capturePayment, .paymentDeclinedByPaymentProcessor, details: details)
        #expect(error.customerSentence == DeclineReason.generic.customerSentence)
        // The shop's own log has it all.
        #expect(error.what.contains(code))
        #expect(error.details.decline?.requestID == "req_9")
    }

    @Test func allUpdateErrorsAreKnownAsSuch() {
        let numbers = [2650, 2660, 2670, 3800, 3830, 3840]
        for number in numbers { #expect(CardReaderFailure(terminalSDK: number).underlyingError.isSoftwareUpdateError) }
        #expect(!UnderlyingError.readerBusy.isSoftwareUpdateError)
    }
}
