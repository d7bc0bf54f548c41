import TillCore

/// Limits on an intent's metadata: those of Stripe, the narrowest known.
public enum IntentMetadataLimits {
    /// The number of entries, including Till's four.
    public static let maximumEntries = 50
    /// The bytes of a key.
    public static let maximumKeyBytes = 40
    /// The bytes of a value.
    public static let maximumValueBytes = 500
}

extension PaymentIntentParameters {
    /// Rejects parameters that a provider would reject, before anything has happened and before the reader wakes.
    /// - Throws: ``UnderlyingError/invalidAmount``, ``UnderlyingError/amountTooSmall``,
    ///   ``UnderlyingError/amountTooLarge``, ``UnderlyingError/currencyNotSupported``,
    ///   ``UnderlyingError/invalidRequiredParameter``, with the violated limit in its sentence.
    public func check(against limits: AmountLimits) throws(CardReaderFailure) {
        guard amount.isPositive else {
            throw CardReaderFailure(.invalidAmount, message: "The amount is \(amount); it must be more than zero.")
        }
        try limits.check(amount)
        if methods.isEmpty {
            throw CardReaderFailure(.invalidRequiredParameter, message: "No payment method is allowed.")
        }
        if methods.contains(.interacPresent), amount.currency != .cad {
            throw CardReaderFailure(
                .currencyNotSupported, message: "Interac cards pay in CAD only; the amount is \(amount).")
        }
        if let fee = applicationFee {
            guard fee.currency == amount.currency, !fee.isNegative, fee.minorUnits <= amount.minorUnits else {
                throw CardReaderFailure(
                    .invalidRequiredParameter, message: "The application fee is \(fee), the amount \(amount).")
            }
        }
        if case .onPart(let part) = tipping {
            guard part.currency == amount.currency, !part.isNegative, part.minorUnits <= amount.minorUnits else {
                throw CardReaderFailure(
                    .invalidRequiredParameter, message: "The tip is asked on \(part), the amount is \(amount).")
            }
        }
        try checkMetadata()
    }

    private func checkMetadata() throws(CardReaderFailure) {
        guard metadata.count <= IntentMetadataLimits.maximumEntries - 4 else {
            throw CardReaderFailure(
                .invalidRequiredParameter,
                message: "There are \(metadata.count) metadata entries; at most "
                    + "\(IntentMetadataLimits.maximumEntries - 4) fit beside Till's own.")
        }
        for (key, value) in metadata {
            guard !key.isEmpty, key.utf8.count <= IntentMetadataLimits.maximumKeyBytes,
                value.utf8.count <= IntentMetadataLimits.maximumValueBytes
            else {
                throw CardReaderFailure(
                    .invalidRequiredParameter,
                    message: "A metadata name has 1 to \(IntentMetadataLimits.maximumKeyBytes) bytes, a value at most "
                        + "\(IntentMetadataLimits.maximumValueBytes).")
            }
        }
    }
}
