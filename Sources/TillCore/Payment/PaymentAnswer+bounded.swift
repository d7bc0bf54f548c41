extension PaymentAnswer {
    /// The answer in its stored form: provider texts are truncated to the limits of ``ProviderText``, with card numbers
    /// masked. References are unchanged: they are matched byte for byte, and bounded where they are read.
    var bounded: PaymentAnswer {
        switch self {
        case .prepared(let id, let answer): .prepared(id, answer.bounded { $0 })
        case .authorized(let id, let answer): .authorized(id, answer.bounded { $0.bounded })
        case .continued(let id, let answer): .continued(id, answer.bounded { $0.bounded })
        case .captured(let id, let answer): .captured(id, answer.bounded { $0 })
        case .voided(let id, let answer): .voided(id, answer.bounded { $0 })
        case .renewed(let id, let answer): .renewed(id, answer.bounded { $0.bounded })
        case .refunded(let id, let answer): .refunded(id, answer.bounded { $0 })
        case .snapshot(let id, let answer): .snapshot(id, answer.bounded { $0.bounded })
        case .holdEnds: self
        }
    }
}

extension ProviderAnswer {
    fileprivate func bounded(_ success: (Success) -> Success) -> ProviderAnswer {
        switch self {
        case .approved(let done): .approved(success(done))
        case .declined(let decline): .declined(decline.bounded)
        case .requiresAction(let action): .requiresAction(action.bounded)
        case .stored: self
        case .notSent(let reason): .notSent(reason: ProviderText.sentence(reason))
        case .keyRejected(let reason): .keyRejected(reason: ProviderText.sentence(reason))
        case .unknown(let reason): .unknown(reason.bounded)
        }
    }
}

extension UnknownReason {
    fileprivate var bounded: UnknownReason {
        switch self {
        case .unclear(let sentence): .unclear(ProviderText.sentence(sentence))
        case .keySpent(let sentence): .keySpent(ProviderText.sentence(sentence))
        case .pending, .wrongAmount, .wrongCurrency: self
        }
    }
}

extension Decline {
    fileprivate var bounded: Decline {
        Decline(
            reason: DeclineReason(rawValue: ProviderText.word(reason.rawValue)), code: code.map(ProviderText.word),
            message: message.map(ProviderText.sentence), requestID: requestID.map(ProviderText.word),
            card: card?.bounded)
    }
}

extension CustomerAction {
    fileprivate var bounded: CustomerAction {
        CustomerAction(
            kind: ProviderText.word(kind), url: url.flatMap(ProviderText.address), order: order.map(ProviderText.word),
            session: session)
    }
}

extension Authorization {
    fileprivate var bounded: Authorization {
        var bounded = self
        bounded.card = card?.bounded
        return bounded
    }
}

extension CardSummary {
    fileprivate var bounded: CardSummary {
        CardSummary(
            brand: ProviderText.word(brand), lastFour: lastFour, entryMode: entryMode.map(ProviderText.word),
            emv: emv?.bounded, network: network.map(ProviderText.word))
    }
}

extension EMVReceiptData {
    private static let texts: [any WritableKeyPath<EMVReceiptData, String?> & Sendable] = [
        \.applicationPreferredName, \.dedicatedFileName, \.accountType, \.authorizationResponseCode,
        \.authorizationCode, \.applicationCryptogram, \.terminalVerificationResults, \.transactionStatusInformation,
        \.cardholderVerificationMethod,
    ]

    fileprivate var bounded: EMVReceiptData {
        var bounded = self
        for text in EMVReceiptData.texts {
            bounded[keyPath: text] = bounded[keyPath: text].map { ProviderText.cut($0, atMost: ProviderText.wordBytes) }
        }
        return bounded
    }
}

extension ProviderSnapshot {
    fileprivate var bounded: ProviderSnapshot {
        var bounded = self
        bounded.standing = standing.bounded
        bounded.refunds = refunds.map { refund in
            guard case .failed(let decline) = refund.status else { return refund }
            var refund = refund
            refund.status = .failed(decline.bounded)
            return refund
        }
        bounded.failedCaptures = failedCaptures.map {
            FailedCapture(reference: $0.reference, capture: $0.capture, decline: $0.decline.bounded)
        }
        bounded.disputes = disputes.map { dispute in
            var dispute = dispute
            dispute.facts.reason = ProviderText.word(dispute.facts.reason)
            dispute.facts.stage = ProviderText.word(dispute.facts.stage)
            return dispute
        }
        bounded.objection = objection.map(ProviderText.sentence)
        return bounded
    }
}

extension ProviderSnapshot.Standing {
    fileprivate var bounded: ProviderSnapshot.Standing {
        switch self {
        case .requiresAction(let action): .requiresAction(action.bounded)
        case .authorized(let authorization): .authorized(authorization.bounded)
        case .declined(let decline): .declined(decline.bounded)
        case .notFound, .unconfirmed, .continuable, .stored, .processing, .voided: self
        }
    }
}
