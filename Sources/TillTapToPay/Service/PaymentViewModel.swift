public import Foundation
public import Observation
import TillCore

/// The model of a tap screen and its buttons. Runs wherever Observation does: from iOS 17 on.
///
/// It listens to the reader from its creation on, so that nothing of the preparation is missed, and keeps listening
/// across all calls.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
@Observable
@MainActor
public final class PaymentViewModel {
    /// The amount in major units.
    public var amount: Decimal = 0
    /// The currency, ISO 4217.
    public var currency: String
    /// `true` if a card can be read.
    public private(set) var isReady = false
    /// `true` while a charge is in progress.
    public private(set) var isProcessing = false
    /// The progress of the read, 0 to 100.
    public private(set) var readProgress = 0
    /// The progress of the preparation, 0 to 100. Apple's `updateProgress` is this, not the progress of a read.
    public private(set) var preparationProgress = 0
    /// The current instruction for the customer or the cashier.
    public private(set) var instruction: String?
    /// The error, the movement of money and the next step; nil also after a cancellation by the cashier.
    public private(set) var errorMessage: String?
    /// `true` if the last charge was approved. Reset at the start of each charge.
    public private(set) var transactionComplete = false
    /// The result of the last charge.
    public private(set) var lastResult: TapToPayService.PaymentResult?
    /// The loyalty program's answers to the last charge.
    public private(set) var visits: [LoyaltyVisit] = []
    /// The pass that is requested with the payment; nil: none.
    public var loyaltyPassIdentifier: String?

    @ObservationIgnored private let service: TapToPayService
    @ObservationIgnored private var eventTask: Task<Void, Never>?
    @ObservationIgnored private var statusTask: Task<Void, Never>?

    /// Creates a model over a service.
    public init(service: TapToPayService, currency: String = "USD") {
        self.service = service
        self.currency = currency
        listen()
    }

    deinit {
        eventTask?.cancel()
        statusTask?.cancel()
    }

    /// `true` if the charge button is enabled.
    public var canCharge: Bool { isReady && !isProcessing && amount > 0 }

    /// Links, if needed, and creates a session.
    public func setup() async {
        errorMessage = nil
        do {
            try await service.initialize()
            show()
        } catch { errorMessage = "\(error)" }
    }

    /// Parses an entered amount with a regional separator: `12,50`. Invalid text and more decimals than the currency
    /// has are refused, and the amount stays.
    /// - Returns: `true` if it was accepted.
    @discardableResult
    public func takeAmount(_ text: String, decimalSeparator: String = ".") -> Bool {
        let plain = text.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: decimalSeparator, with: ".")
        guard decimalSeparator == "." || !text.contains("."), let currency = Currency(ifValid: currency),
            let money = Money(ifValid: plain, currency: currency), !money.isNegative
        else { return false }
        amount = PaymentCardTransactionRequest(money).amount
        return true
    }

    /// Reads a card and charges it. Does nothing while another charge is in progress.
    public func readPayment() async {
        guard canCharge else { return }
        isProcessing = true
        (errorMessage, transactionComplete, lastResult, readProgress, visits) = (nil, false, nil, 0, [])
        do {
            if let loyaltyPassIdentifier {
                let charge = try await service.chargeWithLoyalty(
                    amount: amount, currency: currency, loyaltyPassIdentifier: loyaltyPassIdentifier)
                visits = charge.visits
                finish(charge.payment)
            } else {
                finish(try await service.charge(amount: amount, currency: currency))
            }
        } catch {
            // A cancellation is not an error; every other error includes its next step.
            errorMessage = error == .read(.readCancelled) || error == .canceled ? nil : "\(error)"
            readProgress = 0
        }
        isProcessing = false
        show()
    }

    /// Cancels the read. `true`: no card was read.
    @discardableResult
    public func cancel() async -> Bool { await service.cancel() }

    /// Prepares for the next customer.
    public func reset() {
        guard !isProcessing else { return }
        (amount, errorMessage, transactionComplete, lastResult, readProgress, visits) = (0, nil, false, nil, 0, [])
        instruction = nil
    }

    private func finish(_ result: TapToPayService.PaymentResult?) {
        lastResult = result
        transactionComplete = result?.status == .approved
        if let result, result.status != .approved { errorMessage = result.sentence }
    }

    // MARK: Listening

    private func listen() {
        let events = service.events
        eventTask = Task { [weak self] in
            for await event in events { self?.hear(event) }
        }
        let statuses = service.statuses
        statusTask = Task { [weak self] in
            for await _ in statuses { self?.show() }
        }
    }

    private func hear(_ event: PaymentCardReader.Event) {
        if let sentence = event.sentence { instruction = sentence }
        switch event {
        case .updateProgress(let percent): preparationProgress = min(max(percent, 0), 100)
        case .readyForTap: readProgress = 10
        case .cardDetected, .pinEntryCompleted: readProgress = 50
        case .removeCard: readProgress = 90
        case .readCompleted: readProgress = 100
        case .readRetry, .readCancelled, .readNotCompleted: readProgress = 0
        case .notReady, .pinEntryRequested, .userInterfaceDismissed, .unrecognized: break
        }
    }

    /// Applies the newest status, regardless of the change that triggered the call.
    private func show() { isReady = service.status.isReady }
}
