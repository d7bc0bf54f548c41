import Synchronization
import TillCore
import TillHardware
import TillProvider

/// A provider that exists only here: what a room of its own would hold, and the only thing that a counter is given of
/// it.
struct MadeUpModule: ProviderModule {
    static let name = ProviderName(rawValue: "madeup")
    static let title = "Made-Up"
    static let key = Setting(key: "madeup.key", option: "--madeup-key", kind: .secret, about: "Made-Up's key.")
    static let settings = [key]
    static let required = [key]
    static let hosts = ["api.madeup.example"]

    let bank = MadeUpBank()
    let secret: Secret<String>

    static func make(
        _ settings: any SettingValues, in environment: ProviderEnvironment
    ) throws(ProviderModuleError) -> MadeUpModule? {
        guard let secret = settings.secret(key) else { return nil }
        guard secret.reveal().hasPrefix("mu_") else { throw ProviderModuleError(self, "the key must begin with mu_.") }
        return MadeUpModule(secret: secret)
    }

    var mode: PaymentMode { .test }
    var addresses: [String] { ["https://api.madeup.example"] }
    var providers: [any PaymentServiceProvider] { [MadeUpProvider(bank: bank)] }
    var webhooks: (any WebhookReceiver)? { MadeUpWebhooks(secret: secret, bank: bank) }
    var readers: (any ReaderFleet)? { MadeUpReaders() }
}

/// What the made-up provider knows.
final class MadeUpBank: Sendable {
    private let state = Mutex((isDecided: false, recorded: 0))

    var isDecided: Bool { state.withLock { $0.isDecided } }
    /// How many events were recorded.
    var recorded: Int { state.withLock { $0.recorded } }

    func decide() { state.withLock { $0.isDecided = true } }
    func record() { state.withLock { $0.recorded += 1 } }
}

/// Takes every card at once, but for ``slow`` amounts, whose outcome only a later query tells.
struct MadeUpProvider: PaymentServiceProvider {
    static let slow: Int64 = 1300

    let bank: MadeUpBank
    var name: ProviderName { MadeUpModule.name }
    var capabilities: ProviderCapabilities { ProviderCapabilities(replayWindow: .hours(24), preparesFirst: false) }
    var amounts: AmountCodec { AmountCodec(provider: "Made-Up", exceptions: [:]) }
    func identity() async -> ProviderIdentity { ProviderIdentity(account: "made-up", mode: .test) }

    private func authorization(_ context: AttemptContext, _ amount: Money) -> Authorization {
        Authorization(
            reference: ProviderReference(rawValue: "mu-\(context.attempt)"), amount: amount, isCaptured: true)
    }

    func authorize(_ request: AuthorizationRequest, with tender: Tender) async -> ProviderAnswer<Authorization> {
        guard request.amount.minorUnits != MadeUpProvider.slow else { return .unknown(reason: "slow") }
        return .approved(authorization(request.context, request.amount))
    }

    func capture(_ request: CaptureRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }
    func void(_ request: VoidRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }
    func refund(_ request: RefundRequest) async -> ProviderAnswer<Confirmation> { .approved(Confirmation()) }

    func query(_ request: QueryRequest) async -> ProviderAnswer<ProviderSnapshot> {
        guard bank.isDecided else {
            return .approved(
                ProviderSnapshot(reference: nil, standing: .processing, captured: .zero(request.amount.currency)))
        }
        let authorization = authorization(request.context, request.amount)
        return .approved(
            ProviderSnapshot(
                reference: authorization.reference, standing: .authorized(authorization), captured: request.amount))
    }
}

/// A webhook shows the key, and names its payment.
struct MadeUpWebhooks: WebhookReceiver {
    let secret: Secret<String>
    let bank: MadeUpBank

    var maximumBytes: Int { 1024 }

    func events(in delivery: WebhookDelivery) async throws(WebhookRefusal) -> [WebhookEvent] {
        guard delivery.header("Made-Up-Key") == secret.reveal(), let body = try? JSONValue(parsing: delivery.body),
            let id = body["id"]?.stringValue
        else { throw .refused("The webhook's key is another.", next: "Check the key.") }
        return [
            WebhookEvent(id: id, payment: body["payment"]?.stringValue.map { PaymentID(rawValue: $0) }) { [bank] in
                bank.record()
            }
        ]
    }
}

/// One reader, called Desk.
struct MadeUpReaders: ReaderFleet {
    private let desk = CounterReader(id: "mu-desk", label: "Desk", deviceType: "mu1")

    var provider: ProviderName { MadeUpModule.name }

    func readers() async throws(ReaderError) -> [CounterReader] { [desk] }
    func reader(named name: String) async throws(ReaderError) -> CounterReader {
        guard [desk.id, desk.label].contains(name) else { throw .notFound(name) }
        return desk
    }
    func tender(at reader: CounterReader, tipping: CardPresentPayload.Tipping?) -> Tender {
        .cardPresent(CardPresentPayload(reader: reader.label, sealed: Secret(reader.id), card: nil))
    }
    func cancel(_ id: String) async throws(ReaderError) -> CounterReader { desk }
    func cancelWaiting() async -> [String] { [] }
    func steps() -> AsyncStream<ReaderStep> { ReaderFeed().steps() }
}
