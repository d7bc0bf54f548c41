import Testing
@testable import TillWeb

@Suite("The codings that a client takes")
struct AcceptedCodingsTests {
    @Test(
        "decide whether a file is sent as gzip",
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true),
            ("gzip, deflate, br, zstd", true), ("deflate, br", false), ("identity", false), ("gzip;q=0", false),
            ("gzip;q=0.0", false),
            ("gzip;q=0.000, *", false), ("gzip;q=0.001", true), ("gzip ; q=0.5", true), ("gzip;Q=0", false),
            ("gzip;q=1.000", true), ("*", true), ("*;q=0", false), ("*;q=0.1", true), ("br, *;q=0", false),
            ("gzip, *;q=0", true), ("identity;q=0, gzip;q=0.2", true), ("identity, gzip;q=0.2", false),
            ("identity;q=0.2, gzip;q=0.2", true), ("identity;q=0", false), ("gzip;q=0.5, *", false),
            ("gzip, gzip;q=0", false), ("gzip;q=0, gzip", false), (",, gzip ,", true), ("gzip;", true),
            // A weight that is none refuses.
            ("gzip;q=", false), ("gzip;q=2", false), ("gzip;q=1.5", false), ("gzip;q=0.1234", false),
            ("gzip;q=-1", false), ("gzip;q=0,5", false), ("gzip;q=0.x", false), ("gzipped", false), ("g zip", false),
        ] as [(String?, Bool)])
    func gzip(_ header: String?, _ isPreferred: Bool) {
        #expect(AcceptedCodings(header).prefersGzip == isPreferred)
    }

    @Test("are read as far as the first so many")
    func bounded() {
        let others = Array(repeating: "br", count: AcceptedCodings.maximumElements - 1)
        #expect(AcceptedCodings((others + ["gzip"]).joined(separator: ",")).prefersGzip)
        #expect(!AcceptedCodings((others + ["br", "gzip"]).joined(separator: ",")).prefersGzip)
    }

    @Test(
        "A client has a file if it names its tag",
        arguments: [
            (nil, false), ("", false), ("\"a\"", true), ("W/\"a\"", true), ("*", true), ("\"b\", \"a\"", true),
            ("\"b\",W/\"a\"", true), ("\"b\"", false), ("a", false), ("\"ab\"", false), ("w/\"a\"", false),
        ] as [(String?, Bool)])
    func tags(_ header: String?, _ isKnown: Bool) {
        #expect(EntityTag.isKnown("\"a\"", to: header) == isKnown)
    }
}
