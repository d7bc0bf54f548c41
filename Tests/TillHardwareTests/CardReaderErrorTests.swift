import Testing
import TillCore

@testable import TillHardware

@Suite struct CardReaderErrorTests {
    @Test func everyReasonIsListedOnceWithASentenceAndARemedy() {
        let all = UnderlyingErrorTable.all
        #expect(Set(all.map(\.error)).count == all.count)
        for facts in all {
            #expect(facts.sentence.hasSuffix("."), "\(facts.error)")
            #expect(facts.error.sentence == facts.sentence)
            #expect(facts.error.rawValue.wholeMatch(of: /[a-z0-9_]+/) != nil)
        }
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
        let timeOut = CardReaderFailure(.requestTimedOut)
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

    @Test func aBusyReaderIsNoUpdateError() { #expect(!UnderlyingError.readerBusy.isSoftwareUpdateError) }
}
