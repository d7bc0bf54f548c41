/// Stored reads on their way to the provider, oldest first, signed by the device. The batch itself is what is sent.
///
/// In Apple's interface its certificates are those of the device; other drivers give the chain of the key that signs.
public struct StoreAndForwardBatch: Encodable, Identifiable, Hashable, Sendable {
    /// The store's number of the batch. An upload is idempotent by it.
    public var id: String
    /// How many payments are in it.
    public var count: Int
    /// The payments, oldest first.
    public var payments: [StoredPaymentCardReadResult]
    /// Over the batch, Base64.
    public var signature: String
    /// The certificate, or key, that the signatures are made with.
    public var leafCertificate: String
    /// The certificates above it.
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
    /// The reader's own number of the read.
    public var id: String
    /// Sealed for the provider.
    public var paymentCardData: String?
    /// Base64 of data objects whose choice is the provider's.
    public var generalCardData: String?
    /// Over this read, Base64.
    public var signature: String

    public init(id: String, paymentCardData: String?, generalCardData: String?, signature: String) {
        (self.id, self.paymentCardData, self.generalCardData) = (id, paymentCardData, generalCardData)
        self.signature = signature
    }
}

extension StoredPaymentCardReadResult: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number; the data as a mask.
    public var description: String { "stored read \(id), data ••••" }
    public var debugDescription: String { description }
    /// A mirror without the data.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// The provider's word that a batch is with it, signed by it. Only with it are stored payments deleted; the device
/// cannot make one.
public struct StoreAndForwardBatchDeletionToken: RawRepresentable, Hashable, Sendable {
    /// The provider's text, unchanged.
    public let rawValue: String
    /// Takes the text as it is; the store says whether it is valid.
    public init(rawValue: String) { self.rawValue = rawValue }
}
