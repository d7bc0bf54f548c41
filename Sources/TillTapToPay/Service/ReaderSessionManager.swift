import TillCore

/// The app's scene phase, as in SwiftUI.
public enum ReaderScenePhase: String, Hashable, Sendable {
    /// Visible and interactive.
    case active
    /// Visible but covered. The session continues.
    case inactive
    /// Not visible. The session is over.
    case background
}

/// Reports the app's scene phase to a reader, in the order of the changes.
///
/// In SwiftUI: `.onChange(of: scenePhase) { _, new in manager.handleScenePhase(new) }`. Going to the background ends
/// the session at once; returning creates a new one, with growing pauses while that fails.
public final class ReaderSessionManager: Sendable {
    private let phases: AsyncStream<ReaderScenePhase>.Continuation
    private let reader: PaymentCardReader
    private let task: Task<Void, Never>

    /// Creates a manager for a reader.
    public convenience init(reader: PaymentCardReader) { self.init(reader: reader, preferring: PreferredExecutor()) }

    /// Creates a manager whose task runs on an executor; `nil` is the system's choice. For tests.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public convenience init(reader: PaymentCardReader, executor: (any TaskExecutor)?) {
        self.init(reader: reader, preferring: PreferredExecutor(executor))
    }

    private init(reader: PaymentCardReader, preferring executor: PreferredExecutor) {
        self.reader = reader
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReaderScenePhase.self, bufferingPolicy: .bufferingNewest(16))
        phases = continuation
        task = executor.task {
            for await phase in stream { await ReaderSessionManager.tell(reader, phase) }
        }
    }

    deinit {
        phases.finish()
        task.cancel()
    }

    /// The current status of the reader.
    public var status: ReaderStatus { reader.status }

    /// Handles a change of the app's scene. Returns at once.
    public func handleScenePhase(_ phase: ReaderScenePhase) { phases.yield(phase) }

    private static func tell(_ reader: PaymentCardReader, _ phase: ReaderScenePhase) async {
        switch phase {
        case .active: await reader.entersForeground()
        case .background: await reader.entersBackground()
        case .inactive: break
        }
    }
}
