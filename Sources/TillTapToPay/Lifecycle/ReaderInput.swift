public import TillCore

/// Inputs of a reader: commands of the app, events of the driver, and the passing of time.
public enum ReaderInput: Hashable, Sendable {
    /// The acceptance of the terms, as reported by the reader.
    case accountKnown(isLinked: Bool)
    case link(isRelink: Bool)
    /// The presentation of the terms has ended; nil: they are accepted.
    case linkEnded(PaymentCardReaderError?)
    case prepare(SessionKind)
    /// The driver created a session.
    case prepared(number: Int)
    /// The driver could not create a session.
    case prepareFailed(number: Int, PaymentCardReaderError)
    /// The driver exceeds the limit for preparing.
    case prepareOverdue(number: Int)
    /// The session is no longer wanted.
    case cancelPrepare
    /// Read a card with the session of that number.
    case read(session: Int)
    /// The driver reports an event.
    case reported(PaymentCardReader.Event)
    /// Cancel the read; nil: any read in progress.
    case cancelRead(number: Int?)
    /// The driver has ended the read.
    case readEnded(number: Int, ReadEnd)
    /// The driver has not ended a canceled read in time.
    case readAbandoned(number: Int)
    /// The driver has ended the session, or exceeds the limit for that.
    case sessionEnded(number: Int)
    /// The app is no longer visible.
    case entersBackground
    /// The app is visible.
    case entersForeground
    /// The pause has ended.
    case pauseEnded
    /// A token was received.
    case tokenReceived(ReaderTokenFacts)
    /// The token has expired, by time or by the reader's report.
    case tokenEnded
    /// The number of stored payments of the token's issuer.
    case stored(count: Int)
    /// Shut down until the next preparation.
    case close
}

/// The reason that a reader refuses a command. Its state is unchanged.
public enum ReaderRefusal: Error, Hashable, Sendable {
    /// A command about linking or preparing.
    case reader(PaymentCardReaderError)
    /// A command about reading.
    case read(PaymentCardReaderSession.ReadError)
}

/// One change of a ``ReaderLifecycle``.
public enum ReaderChange: Hashable, Sendable {
    case phase(ReaderPhase)
    /// The visibility of the app's scene.
    case scene(ReaderScene)
    /// The state of the token.
    case token(TokenStanding)
    /// The session that the app wants; nil: none.
    case wants(SessionKind?)
    case sessionBegan(number: Int, SessionKind)
    /// The session must not be used any more; the driver has not ended it yet.
    case sessionDoomed
    /// The driver has ended it.
    case sessionEnded
    /// A number was assigned.
    case counted(Int)
    /// The number of consecutive failed automatic preparations.
    case failures(Int)
    /// The error of the last preparation or link; nil: a new attempt begins.
    case failed(PaymentCardReaderError?)
    /// The reader was online.
    case online(Timestamp)
    /// The number of stored payments.
    case stored(count: Int, issuer: String?)
    /// A call to the driver begins.
    case flightBegan(ReaderFlight)
    /// The driver was asked to cancel the call.
    case flightCanceled
    case flightEnded
}

/// The next action at the driver, derived from the state.
public enum ReaderEffect: Hashable, Sendable {
    case link(isRelink: Bool)
    case prepare(Preparation)
    case read(number: Int)
    /// Stop the call in progress.
    case callOff(ReaderFlight)
    case endSession(number: Int)
}
