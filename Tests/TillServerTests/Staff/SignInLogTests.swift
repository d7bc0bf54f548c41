import Logging
import Testing
import TillCore
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("What people got wrong where they say who they are")
struct SignInLogTests {
    @Test("Each kind is counted for the metrics, and what was right is not")
    func counts() {
        let log = SignInLog(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let person = StaffID(rawValue: "staff_1")
        for event in [
            SignInEvent.wrongPIN(person), .lockedOut(person), .lockedOutEverywhere(person), .deviceEnded,
            .wrongPassword(nil), .wrongPasskey(nil, .signature), .wrongPasskey(person, .challenge), .officeLocked(nil),
            .signedIn(person), .locked, .enteredOffice(person, by: .passkey),
        ] { log.record(event, at: "device") }
        #expect(log.wrong == 1 && log.lockouts == 3 && log.wrongPasswords == 1)
        #expect(log.wrongPasskeys == 2 && log.officeLockouts == 1)
    }
}
