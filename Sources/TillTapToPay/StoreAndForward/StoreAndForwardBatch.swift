/// Stored reads in transit to the provider, oldest first, signed by the device. The batch itself is sent.
///
/// In Apple's API its certificates are those of the device; other drivers provide the chain of the signing key.
public struct StoreAndForwardBatch: Encodable, Identifiable, Hashable, Sendable {
    /// The store's identifier of the batch. An upload is idempotent by it.
    public var id: String
    /// The number of payments in the batch.
    public var count: Int
    /// The payments, oldest first.
    public var payments: [StoredPaymentCardReadResult]
    /// The signature over the batch, Base64.
    public var signature: String
    /// The certificate, or key, that made the signatures.
    public var leafCertificate: String
    /// The certificates above the leaf.
    public var intermediateCertificate: [String]

    public init(
        id: String, payments: [StoredPaymentCardReadResult], signature: String, leafCertificate: String,
        intermediateCertificate: [String] = []
    ) {
        (self.id, self.payments, self.signature) = (id, payments, signature)
        (self.leafCertificate, self.intermediateCertificate) = (leafCertificate, intermediateCertificate)
        count = payments.count
    }
}

/// One stored read of a batch.
public struct StoredPaymentCardReadResult: Encodable, Identifiable, Hashable, Sendable {
    /// The reader's identifier of the read.
    public var id: String
    /// Encrypted for the provider.
    public var paymentCardData: String?
    /// Base64 of data objects selected by the provider.
    public var generalCardData: String?
    /// The signature over this read, Base64.
    public var signature: String

    public init(id: String, paymentCardData: String?, generalCardData: String?, signature: String) {
        (self.id, self.paymentCardData, self.generalCardData) = (id, paymentCardData, generalCardData)
        self.signature = signature
    }
}

extension StoredPaymentCardReadResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The identifier; the data as a mask.
    public var description: String { "stored read \(id), data ••••" }
    public var debugDescription: String { description }
    /// A mirror without the data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The provider's signed deletion token, which confirms that it has received a batch. Stored payments are deleted only
/// with it; the device cannot create one.
public struct StoreAndForwardBatchDeletionToken: RawRepresentable, Hashable, Sendable {
    /// The provider's text, unchanged.
    public let rawValue: String
    /// Takes the text as it is; the store decides on its validity.
    public init(rawValue: String) { self.rawValue = rawValue }
}
