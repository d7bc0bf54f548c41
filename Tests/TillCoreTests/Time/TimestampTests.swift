import Testing
import TillCore

@Suite("Moments as text")
struct TimestampTests {
    @Test(
        "are in UTC with milliseconds over the whole range, also before 1970 and beyond four digits of a year",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_795_253_400_000, "2026-11-21T09:30:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00.000Z"),
            (-86_400_001, "1969-12-30T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "10000-01-01T00:00:00.000Z"), (.max, "292278994-08-17T07:12:55.807Z"),
            (.min, "-292275055-05-16T16:47:04.192Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }
}
