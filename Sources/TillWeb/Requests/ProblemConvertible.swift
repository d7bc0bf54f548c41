package import HTTPTypes
package import TillCheckout
package import TillCore
package import TillCounter
package import TillJournal

/// An error that a request is answered with. A feature conforms the errors that only it throws; any other error is an
/// internal one, of which nothing is exposed.
package protocol ProblemConvertible: Error {
    /// The response to the request.
    var problem: Problem { get }
}

extension ProblemConvertible where Self: ExplainedError {
    /// Returns the response with the error's own words.
    package func problem(_ status: HTTPResponse.Status) -> Problem {
        var problem = Problem(status, code, what, next: next)
        problem.moneyMoved = moneyMoved
        return problem
    }
}

extension Problem: ProblemConvertible {
    package var problem: Problem { self }
}

extension CheckoutError: ProblemConvertible {
    package var problem: Problem {
        let problem = self.problem(status)
        switch self {
        case .journal, .notBegun, .takenOver, .restoring, .tooManyConflicts, .orderChanged, .unwritten,
            .refused(.outcomeOpen(.processing)), .refused(.operationInProgress):
            return problem.retrying()
        default: return problem
        }
    }

    private var status: HTTPResponse.Status {
        switch self {
        case .refused(.invalidAmount), .refused(.invalidEvidence), .refused(.captureExceedsAuthorization),
            .refused(.refundExceedsCaptured), .refused(.unsupported), .unknownProvider, .amount, .discount:
            .unprocessableContent
        case .refused(.refundExceedsLimit): .forbidden
        case .unknownPayment, .unknownOrder, .refused(.unknownAttention): .notFound
        // Time does not fix it, so the client should not retry.
        case .unreadablePayment: .internalServerError
        case .refused, .orderOccupied, .orderCanceled, .orderAmount, .tooManyPayments, .orderChanged, .orderHeld,
            .settledInShop, .tooManyConflicts, .otherAccount:
            .conflict
        case .journal, .notBegun, .takenOver, .restoring: .serviceUnavailable
        case .unwritten(_, let reason): reason.status
        }
    }
}

extension JournalError: ProblemConvertible {
    package var problem: Problem { CheckoutError.journal(self).problem }
}

extension OrderError: ProblemConvertible {
    package var problem: Problem { problem(.unprocessableContent) }
}

extension DiscountError: ProblemConvertible {
    package var problem: Problem { CheckoutError.discount(self).problem }
}

extension StandInRefusal: ProblemConvertible {
    package var problem: Problem { problem(.unprocessableContent) }
}

extension MoneyError: ProblemConvertible {
    package var problem: Problem { .field("amount", description, code: "invalid_amount") }
}

extension JSONError: ProblemConvertible {
    package var problem: Problem {
        Problem(.badRequest, "malformed_json", description, next: "Send one JSON document.")
    }
}
