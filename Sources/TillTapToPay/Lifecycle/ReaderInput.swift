public import TillCore

/// Inputs of a reader: commands of the app, events of the driver, and the passing of time.
public enum ReaderInput: Hashable, Sendable {
    /// Whether somebody has accepted the terms, as the reader says when it is asked.
    case accountKnown(isLinked: Bool)
    case link(isRelink: Bool)
    /// They are accepted, or not.
    case linkEnded(PaymentCardReaderError?)
    case prepare(SessionKind)
    /// The driver made a session.
    case prepared(number: Int)
    /// The driver did not.
    case prepareFailed(number: Int, PaymentCardReaderError)
    /// The driver takes too long over it.
    case prepareOverdue(number: Int)
    /// Nobody wants the session any more.
    case cancelPrepare
    /// Read a card, with the session of that number.
    case read(session: Int)
    /// The driver reports something.
    case reported(PaymentCardReader.Event)
    /// Cancel the read; nil: whichever is under way.
    case cancelRead(number: Int?)
    /// The driver has ended the read.
    case readEnded(number: Int, ReadEnd)
    /// The driver does not end a read that was canceled.
    case readAbandoned(number: Int)
    /// The driver has ended the session, or takes too long over it.
    case sessionEnded(number: Int)
    /// The app is not seen any more.
    case entersBackground
    /// The app is seen.
    case entersForeground
    /// The pause is over.
    case pauseEnded
    /// There is a token.
    case tokenReceived(ReaderTokenFacts)
    /// The token is over, by time or by the reader's word.
    case tokenEnded
    /// So many payments of the token's issuer are stored.
    case stored(count: Int)
    /// Everything is over until the next preparation.
    case close
}

/// Why a reader does not do what it was asked. Nothing has changed then.
public enum ReaderRefusal: Error, Hashable, Sendable {
    /// A command about linking or preparing.
    case reader(PaymentCardReaderError)
    /// A command about reading.
    case read(PaymentCardReaderSession.ReadError)
}

/// One change of a ``ReaderLifecycle``.
public enum ReaderChange: Hashable, Sendable {
    case phase(ReaderPhase)
    /// Whether the app's scene is in front of the user now.
    case scene(ReaderScene)
    /// How the token stands.
    case token(TokenStanding)
    /// What session the app wants to have; nil: none.
    case wants(SessionKind?)
    case sessionBegan(number: Int, SessionKind)
    /// It is not to be used any more; the driver has not ended it yet.
    case sessionDoomed
    /// The driver has ended it.
    case sessionEnded
    /// A number is used.
    case counted(Int)
    /// So many automatic preparations failed in a row.
    case failures(Int)
    /// Why the last preparation or link failed; nil: another one begins.
    case failed(PaymentCardReaderError?)
    /// The reader was online.
    case online(Timestamp)
    /// So many payments are stored.
    case stored(count: Int, issuer: String?)
    /// A call to the driver begins.
    case flightBegan(ReaderFlight)
    /// The driver was asked to cancel it.
    case flightCanceled
    case flightEnded
}

/// What is to be done at the driver, derived from the state.
public enum ReaderEffect: Hashable, Sendable {
    case link(isRelink: Bool)
    case prepare(Preparation)
    case read(number: Int)
    /// Stop the call that is under way.
    case callOff(ReaderFlight)
    case endSession(number: Int)
}
