import Testing
import TillCore
import TillTapToPay

/// Every error that Apple's interface has, with its release, and a word for what is not known here.
@Suite struct ReaderErrorTests {
    @Test func everyCaseOfTheInterfaceIsThere() {
        // The unknown code is the one that `named` does not hold.
        #expect(PaymentCardReaderError.named.count + 1 == 33)
        #expect(PaymentCardReaderSession.ReadError.named.count + 1 == 34)
        #expect(PaymentCardReaderStore.StoreError.named.count + 1 == 11)
        #expect(Set(PaymentCardReaderError.named.map(\.errorName)).count == PaymentCardReaderError.named.count)
        let reads = PaymentCardReaderSession.ReadError.named
        #expect(Set(reads.map(\.errorName)).count == reads.count)
    }

    @Test func everyCaseSaysWhatHappenedAndWhatToDo() {
        let errors: [any ExplainedError] =
            PaymentCardReaderError.named + PaymentCardReaderSession.ReadError.named
            + PaymentCardReaderStore.StoreError.named
        for error in errors {
            #expect(error.what.hasSuffix("."), "\(error.code)")
            #expect(error.next.hasSuffix("."), "\(error.code)")
            #expect(error.moneyMoved == .no)
        }
        #expect(Set(errors.map(\.description)).count >= errors.count - 3, "sentences are each error's own")
    }

    @Test(arguments: [
        ("requestInterrupted", SystemRelease.iOS26), ("accountDeactivated", .iOS17),
        ("storeAndForwardTokenIssuerChanged", .iOS18_4), ("accountLinkingCheckFailed", .iOS16_4),
        ("merchantBlocked", .iOS15_4), ("notAllowed", .iOS15_4),
    ])
    func aReaderErrorKnowsItsRelease(name: String, release: SystemRelease) {
        #expect(PaymentCardReaderError(errorName: name).facts.release == release)
    }

    @Test(arguments: [
        ("cardNotSupported", SystemRelease.iOS26), ("pinNotAllowed", .iOS16), ("invalidPreferredAID", .iOS16_4),
        ("storeAndForwardDeclineFailed", .iOS18_4), ("readCancelled", .iOS15_4),
    ])
    func aReadErrorKnowsItsRelease(name: String, release: SystemRelease) {
        #expect(PaymentCardReaderSession.ReadError(errorName: name).facts.release == release)
    }

    @Test func namesGoBothWaysAndUnknownOnesAreKept() {
        for error in PaymentCardReaderError.named {
            #expect(PaymentCardReaderError(errorName: error.errorName) == error)
        }
        for error in PaymentCardReaderSession.ReadError.named {
            #expect(PaymentCardReaderSession.ReadError(errorName: error.errorName) == error)
        }
        #expect(PaymentCardReaderError(errorName: "ofTomorrow").errorName == "ofTomorrow")
        #expect(PaymentCardReaderSession.ReadError(errorName: "ofTomorrow").errorName == "ofTomorrow")
        #expect(PaymentCardReaderStore.StoreError(errorName: "ofTomorrow").errorName == "ofTomorrow")
        #expect(PaymentCardReaderError(errorName: "ofTomorrow").facts.release == nil)
    }

    @Test func numbersOfPassStatusesAreApplesAndUnknownOnesAreKept() {
        #expect(VASReadResult.Status.wrongP1P2.rawValue == 3)
        #expect(VASReadResult.Status.wrongCommandLength.rawValue == 4)
        for number in [-5, 0, 1, 2, 3, 4, 5, 6, 7, 8, Int.max] {
            #expect(VASReadResult.Status(rawValue: number).rawValue == number)
        }
    }
}
