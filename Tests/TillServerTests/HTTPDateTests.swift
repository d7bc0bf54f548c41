import Testing
import TillCore
@testable import TillCounter

@testable import TillServer
@testable import TillWeb

@Suite("The date of an answer")
struct HTTPDateTests {
    @Test(
        "is written as HTTP has it",
        arguments: [
            (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_399_999, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (1_795_253_400_000, "Sat, 21 Nov 2026 09:30:00 GMT"),
        ])
    func format(_ milliseconds: Int64, _ text: String) {
        #expect(HTTPDate.text(Timestamp(milliseconds: milliseconds)) == text)
    }
}
