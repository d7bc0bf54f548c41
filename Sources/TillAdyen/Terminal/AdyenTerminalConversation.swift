internal import Crypto
internal import Foundation
internal import TillCore

/// The conversation with a terminal about one payment: the request, its status, its cancellation, and the meaning of
/// the answers.
struct AdyenTerminalConversation: Sendable {
    let terminal: AdyenTerminal
    let clock: any TillClock
    /// The id of the payment request, stored before it is sent.
    let name: String
    /// The shop's name of the payment at Adyen.
    let attempt: String

    /// The interpretation of a terminal's answer.
    enum Standing: Equatable {
        case taken(Authorization)
        case refused(Decline)
        case neverCame
        case open(String)
    }

    enum CallOff {
        /// No card can pay it any more.
        case canceled
        case taken
        case notSent(String)
        case open(String)
    }

    /// Returns a request id, the same for the same attempt and purpose: ten characters, as the terminal requires.
    static func requestName(_ attempt: String, _ purpose: String) -> String {
        let digest = SHA256.hash(data: Array("\(purpose)/\(attempt)".utf8))
        return Hex.text(Array(digest.prefix(AdyenTerminal.longestName / 2)))
    }

    /// Requests the payment and waits for the customer.
    func pay(_ amount: Money) async -> Result<Standing, AdyenTerminalError> {
        do throws(AdyenTerminalError) {
            let outcome = try await terminal.pay(amount, transaction: attempt, name: name)
            return .success(AdyenTerminalConversation.standing(outcome, amount))
        } catch {
            return .failure(error)
        }
    }

    /// Queries the terminal for the payment.
    /// - Parameter amount: the requested amount; `nil` if only the result matters.
    func standing(_ amount: Money?) async -> Result<Standing, AdyenTerminalError> {
        do throws(AdyenTerminalError) {
            let outcome = try await terminal.status(
                of: name, as: fresh("status"), currency: amount?.currency ?? .eur)
            return .success(AdyenTerminalConversation.standing(outcome, amount))
        } catch {
            return .failure(error)
        }
    }

    /// Requests cancellation. The answer to the payment shows whether it was in time.
    func abort() async throws(AdyenTerminalError) { try await terminal.abort(name, as: fresh("abort")) }

    /// Requests cancellation and queries the result.
    /// - Parameter sentAt: the time before which the request was not sent.
    func callOff(sentAt: Timestamp) async -> CallOff {
        do throws(AdyenTerminalError) { try await abort() } catch {
            if case .notSent(let reason) = error { return .notSent(reason) }
            return .open(error.reason)
        }
        switch await standing(nil) {
        case .success(.refused): return .canceled
        case .success(.neverCame):
            return isOver(sentAt) ? .canceled : .open("the terminal does not know the request yet")
        case .success(.taken): return .taken
        case .success(.open(let reason)): return .open(reason)
        case .failure(let error): return .open(error.reason)
        }
    }

    /// Returns `true` once a request cannot be in transit any more.
    func isOver(_ sentAt: Timestamp) -> Bool {
        clock.standing.isTrusted && clock.now().since(sentAt) > AdyenTerminal.defaultPatience
    }

    /// Returns a unique id for a request without a fixed one.
    private func fresh(_ purpose: String) -> String {
        AdyenTerminalConversation.requestName(attempt, "\(purpose)/\(clock.now().milliseconds)")
    }
}

extension AdyenTerminalError {
    /// The reason in a word, without the advice.
    var reason: String {
        switch self {
        case .notSent(let reason), .unknown(let reason): reason
        case .malformed: "the terminal's answer cannot be read"
        case .otherKey: "the terminal uses another key"
        case .brokenSeal: "the seal of the terminal's answer is broken"
        case .otherMessage: "the terminal answered something else"
        }
    }
}

extension AdyenTerminalConversation {
    /// The error conditions that guarantee that no money moved. Any other leaves the result open. Source: Adyen's error
    /// conditions.
    private static let refusals: [String: DeclineReason] = [
        "Refusal": .generic, "Cancel": .canceledAtReader, "Aborted": .canceledAtReader, "Busy": .readerUnavailable,
        "DeviceOut": .readerUnavailable, "UnavailableDevice": .readerUnavailable, "LoggedOut": .readerUnavailable,
        "UnavailableService": .readerUnavailable, "InsertedCard": .readerUnavailable, "WrongPIN": .incorrectPIN,
        "InvalidCard": .cardNotSupported, "PaymentRestriction": .cardNotSupported, "MessageFormat": .invalidRequest,
        "NotAllowed": .invalidRequest,
    ]

    /// Insufficient balance, which has its own decline reason: the issuer's number, and the word that terminals send
    /// instead.
    private static let notEnoughBalance = (number: "210", word: "NOT_ENOUGH_BALANCE")

    /// Interprets an answer.
    /// - Parameter amount: the requested amount; `nil` if only the result matters.
    static func standing(_ outcome: AdyenTerminal.Outcome, _ amount: Money?) -> Standing {
        guard outcome.isApproved else {
            let word = outcome.errorCondition ?? ""
            if word == "NotFound" { return .neverCame }
            guard outcome.result == "Failure", let defaultValue = refusals[word] else {
                let said = word.isEmpty ? "nothing usable" : ProviderText.cut(word, atMost: 40)
                return .open("the terminal says \(said)")
            }
            let text = outcome.message ?? word
            // A refusal starts with the issuer's own number, followed by its text.
            let number = String(text.prefix { ("0"..."9").contains($0) })
            let isShort = word == "Refusal" && (number == notEnoughBalance.number || text == notEnoughBalance.word)
            let reason = isShort ? .insufficientFunds : defaultValue
            return .refused(
                Decline(reason: reason, code: number.isEmpty ? word : number, message: text, card: outcome.card))
        }
        let parts = (outcome.transaction ?? "").split(separator: ".", maxSplits: 1).map { String($0) }
        guard let last = parts.last, AdyenProvider.isUsable(last), let first = parts.first,
            AdyenProvider.isUsable(first), let reference = ProviderReference(ifValid: "\(last).\(first)")
        else { return .open("the terminal names no payment") }
        guard let paid = outcome.amount ?? (amount == nil ? Money.zero(.eur) : nil) else {
            return .open("the terminal names no amount")
        }
        if let amount, paid != amount { return .open("amount mismatch") }
        return .taken(Authorization(reference: reference, amount: paid, isCaptured: true, card: outcome.card))
    }
}
