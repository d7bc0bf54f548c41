#if canImport(ProximityReader)
    import Foundation
    import ProximityReader
    import TillCore
    #if TILL_SHELL_APART
        public import TillTapToPay
    #endif

    /// Apple's reader in the phone as a driver. It contains no logic of its own. It needs iOS 18.4, since it
    /// carries every fact of a read and the reads that are stored.
    ///
    /// One task reads the framework's single stream of events for as long as the driver lives, because canceling its
    /// task silences a stream for good; listeners of Till's reader come and go freely.
    @available(iOS 18.4, *)
    public final class ProximityReaderDriver: PaymentCardReaderDriver {
        private typealias Tell = @Sendable (TillReader.Event) -> Void
        private let reader: ProximityReader.PaymentCardReader
        private let listener: Guarded<Task<Void, Never>?>
        private let tell: Hearer

        /// The current receiver of events.
        private final class Hearer: Sendable {
            let hear = Guarded<Tell?>(nil)
            func tell(_ event: TillReader.Event) { hear.withLock { $0 }?(event) }
        }

        /// Creates a driver; keep one for the device. It listens before anything is prepared.
        public init(
            returnReadResultImmediately: Bool = true, includeErrorInReadResult: Bool = true
        ) {
            var options = ProximityReader.PaymentCardReader.Options()
            options.returnReadResultImmediately = returnReadResultImmediately
            options.includeErrorInReadResult = includeErrorInReadResult
            let (reader, tell) = (ProximityReader.PaymentCardReader(options: options), Hearer())
            (self.reader, self.tell) = (reader, tell)
            let events = reader.events
            listener = Guarded(
                Task {
                    for await event in events { tell.tell(ProximityReaderConversion.event(event)) }
                })
        }

        deinit { listener.withLock { $0 }?.cancel() }

        /// Determined by the model of the device.
        public var unsupported: TillTapToPay.PaymentCardReaderError? {
            ProximityReader.PaymentCardReader.isSupported ? nil : .unsupported
        }

        public func readerIdentifier() async throws(TillTapToPay.PaymentCardReaderError) -> String {
            do { return try await reader.readerIdentifier } catch { throw ProximityReaderConversion.readerError(error) }
        }

        public func isAccountLinked(
            using token: TillTapToPay.PaymentCardReader.Token
        ) async throws(TillTapToPay.PaymentCardReaderError) -> Bool {
            do { return try await reader.isAccountLinked(using: .init(rawValue: token.rawValue)) } catch {
                throw ProximityReaderConversion.readerError(error)
            }
        }

        public func linkAccount(using token: TillTapToPay.PaymentCardReader.Token) async throws(TillTapToPay
            .PaymentCardReaderError)
        {
            do { try await reader.linkAccount(using: .init(rawValue: token.rawValue)) } catch {
                throw ProximityReaderConversion.readerError(error)
            }
        }

        public func relinkAccount(using token: TillTapToPay.PaymentCardReader.Token) async throws(TillTapToPay
            .PaymentCardReaderError)
        {
            do { try await reader.relinkAccount(using: .init(rawValue: token.rawValue)) } catch {
                throw ProximityReaderConversion.readerError(error)
            }
        }

        /// Prepares through the framework. Its options were set when the driver was created.
        public func prepare(
            using token: TillTapToPay.PaymentCardReader.Token, options: TillTapToPay.PaymentCardReader.Options,
            events: @escaping @Sendable (TillTapToPay.PaymentCardReader.Event) -> Void
        ) async throws(TillTapToPay.PaymentCardReaderError) -> any PaymentCardReaderSessionDriver {
            tell.hear.withLock { $0 = events }
            do {
                return ProximityReaderSession(try await reader.prepare(using: .init(rawValue: token.rawValue)))
            } catch { throw ProximityReaderConversion.readerError(error) }
        }

        public func prepareStoreAndForward(
            options: TillTapToPay.PaymentCardReader.Options,
            events: @escaping @Sendable (TillTapToPay.PaymentCardReader.Event) -> Void
        ) async throws(TillTapToPay.PaymentCardReaderError) -> any StoreAndForwardSessionDriver {
            tell.hear.withLock { $0 = events }
            do { return ProximityReaderStoringSession(try await reader.prepareStoreAndForward()) } catch {
                throw ProximityReaderConversion.readerError(error)
            }
        }

        public func store() throws(TillTapToPay.PaymentCardReaderError) -> any PaymentCardReaderStoreDriver {
            do { return ProximityReaderStore(try reader.fetchPaymentCardReaderStore()) } catch {
                throw ProximityReaderConversion.readerError(error)
            }
        }
    }
#endif
