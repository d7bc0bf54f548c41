// swift-tools-version: 6.2
import PackageDescription

let isDependency = Context.packageDirectory.contains("/checkouts/")
/// A warning is an error, with the compilers whose warnings are known; a newer one may find more, and builds all the same.
#if compiler(<6.4)
    let warnings: [SwiftSetting] = isDependency ? [] : [.treatAllWarnings(as: .error)]
#else
    let warnings: [SwiftSetting] = []
#endif

/// Every room is compiled with the same strictness: Swift 6 mode, explicit existentials,
/// and an import is internal unless a public signature needs it.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + warnings

/// The same for the rooms that a simulated payment runs through. Optimized in debug builds too, since every run of the
/// tests simulates many thousands of them; `assert` means nothing there. SwiftPM takes such flags from the package that is built
/// only, so they are not there where Till is somebody's dependency. TILL_UNOPTIMIZED=1 leaves them out, for a debugger.
let isUnoptimized = isDependency || Context.environment["TILL_UNOPTIMIZED"] == "1"
let simulated: [SwiftSetting] =
    isUnoptimized ? strict : strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let inMemoryTracing: Target.Dependency = .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let bigInt: Target.Dependency = .product(name: "BigInt", package: "BigInt")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS: Target.Dependency = .product(name: "HummingbirdTLS", package: "hummingbird")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let openCombine: Target.Dependency = .product(
    name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux]))
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let unixSignals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")

// Where PassKit is not, Apple Pay's adapter is a target of its own for the tests, against a declared interface.
#if os(Linux)
    let passKitShell: [Target.Dependency] = ["TillApplePayShell", "PassKit", "SwiftUIInterface"]
    // The same for Tap to Pay's adapter and ProximityReader.
    let proximityReaderShell: [Target.Dependency] = ["TillTapToPayShell", "ProximityReader"]
    // And for the system's print dialog.
    let airPrintShell: [Target.Dependency] = ["TillPrinterServiceShell", "UIKitPrinting"]
    // And for the system's drawing.
    let coreTextShell: [Target.Dependency] = ["TillCanvasShell", "CoreTextInterface"]
    // And for the system's browser sheet.
    let webAuthenticationShell: [Target.Dependency] = ["TillClientShell", "WebAuthenticationInterface"]
#else
    let passKitShell: [Target.Dependency] = []
    let proximityReaderShell: [Target.Dependency] = []
    let airPrintShell: [Target.Dependency] = []
    let coreTextShell: [Target.Dependency] = []
    let webAuthenticationShell: [Target.Dependency] = []
#endif

/// The stand-ins for outside parties, one vendor each.
let standIns = [
    "TillStandInAdyen", "TillStandInApple", "TillStandInBraintree", "TillStandInCard", "TillStandInPayPal",
    "TillStandInPrinter", "TillStandInShop", "TillStandInStripe",
]

/// A feature of the server: its routes, their requests and answers, and the files of its pages.
func feature(_ name: String, _ dependencies: Target.Dependency..., resources: [Resource] = []) -> Target {
    .target(
        name: "TillFeature" + name,
        dependencies: ["TillCore", "TillWeb", httpTypes, hummingbird, nioCore] + dependencies,
        path: "Sources/TillFeatures/" + name, resources: resources, swiftSettings: strict)
}

/// The features of the server, one target each.
let features = [
    "ApplePay", "Books", "CardFields", "Day", "Insights", "Operations", "Orders", "Page", "Payments", "Receipts",
    "Shops", "Staff", "Tap", "Terminal", "Webhooks",
].map { Target.Dependency.target(name: "TillFeature" + $0) }

let package = Package(
    name: "till",
    // iOS is for the rooms that an app links, with what they depend on: the first two sections of
    // docs/integrate/LIBRARIES.md. Tests/Peers/test_app_systems.py keeps what is newer out of them. All others are for
    // servers, which no app builds: they use `Mutex` and integers of 128 bits, for which an iPhone would need iOS 18.
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .library(name: "TillCore", targets: ["TillCore"]),
        .library(name: "TillOrders", targets: ["TillOrders"]),
        .library(name: "TillReceipts", targets: ["TillReceipts"]),
        .library(name: "TillHardware", targets: ["TillHardware"]),
        .library(name: "TillPrinterService", targets: ["TillPrinterService"]),
        .library(name: "TillCards", targets: ["TillCards"]),
        .library(name: "TillPayPalClient", targets: ["TillPayPalClient"]),
        .library(name: "TillBraintreeClient", targets: ["TillBraintreeClient"]),
        .library(name: "TillApplePay", targets: ["TillApplePay"]),
        .library(name: "TillContactless", targets: ["TillContactless"]),
        .library(name: "TillTapToPay", targets: ["TillTapToPay"]),
        .library(name: "TillOffline", targets: ["TillOffline"]),
        .library(name: "TillPCSC", targets: ["TillPCSC"]),
        .library(name: "TillClient", targets: ["TillClient"]),
        .library(name: "TillApplePayClient", targets: ["TillApplePayClient"]),
        .library(name: "TillHardwareCombine", targets: ["TillHardwareCombine"]),
        .library(name: "TillProvider", targets: ["TillProvider"]),
        .library(name: "TillStatements", targets: ["TillStatements"]),
        .library(name: "TillHTTP", targets: ["TillHTTP"]),
        .library(name: "TillCanvas", targets: ["TillCanvas"]),
        .library(name: "TillPrinting", targets: ["TillPrinting"]),
        .library(name: "TillMail", targets: ["TillMail"]),
        .library(name: "TillStripe", targets: ["TillStripe"]),
        .library(name: "TillPayPal", targets: ["TillPayPal"]),
        .library(name: "TillBraintree", targets: ["TillBraintree"]),
        .library(name: "TillAdyen", targets: ["TillAdyen"]),
        .library(name: "TillJournal", targets: ["TillJournal"]),
        .library(name: "TillJournalSQLite", targets: ["TillJournalSQLite"]),
        .library(name: "TillPostgres", targets: ["TillPostgres"]),
        .library(name: "TillCheckout", targets: ["TillCheckout"]),
        .library(name: "TillBooks", targets: ["TillBooks"]),
        .library(name: "TillSandbox", targets: ["TillSandbox"]),
        .library(name: "TillStandIns", targets: standIns),
        .library(name: "TillCounter", targets: ["TillCounter"]),
        .library(name: "TillWeb", targets: ["TillWeb"]),
        .library(name: "TillServer", targets: ["TillServer"]),
        // What the server's initializer takes beside the counter.
        .library(name: "TillFeatureApplePay", targets: ["TillFeatureApplePay"]),
        .library(name: "TillFeatureTap", targets: ["TillFeatureTap"]),
        .executable(name: "till", targets: ["TillCommand"]),
        .executable(name: "till-simulate", targets: ["till-simulate"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/attaswift/BigInt", from: "6.0.1"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Floor 0: what money, an order and a payment are. No I/O.
        .target(name: "TillCore", dependencies: [httpTypes], swiftSettings: simulated),

        // Floor 1: values and clients for macOS, Linux and, but for TillStatements and TillProvider, iOS; imports the
        // floor below only.
        .target(name: "TillOrders", dependencies: ["TillCore"], swiftSettings: strict),
        .target(name: "TillReceipts", dependencies: ["TillCore"], swiftSettings: strict),
        .target(name: "TillHardware", dependencies: ["TillCore"], swiftSettings: strict),
        .target(name: "TillStatements", dependencies: ["TillCore", httpTypes], swiftSettings: strict),
        .target(
            name: "TillPrinterService", dependencies: ["TillCore", "TillHardware", "TillReceipts"],
            exclude: airPrintShell.isEmpty ? [] : ["Apple"], swiftSettings: strict),
        .target(
            name: "TillApplePay", dependencies: ["TillCore", asn1, crypto, cryptoExtras, x509],
            exclude: passKitShell.isEmpty ? [] : ["Apple"], swiftSettings: strict),
        .target(name: "TillCards", dependencies: ["TillCore"], swiftSettings: strict),
        // What an app may do with PayPal and Braintree. Beside each other: one card client serves both.
        .target(name: "TillPayPalClient", dependencies: ["TillCore", "TillCards", httpTypes], swiftSettings: strict),
        .target(
            name: "TillBraintreeClient", dependencies: ["TillCore", "TillCards", "TillPayPalClient", httpTypes],
            swiftSettings: strict),
        .target(
            name: "TillContactless", dependencies: ["TillCore", bigInt, crypto, cryptoExtras], swiftSettings: strict),
        .target(name: "TillOffline", dependencies: ["TillCore", crypto], swiftSettings: simulated),
        // Beside TillOffline: a tap without a connection is stored there.
        .target(
            name: "TillTapToPay", dependencies: ["TillCore", "TillOffline", crypto],
            exclude: proximityReaderShell.isEmpty ? [] : ["Apple"], swiftSettings: strict),
        .target(
            name: "TillHardwareCombine", dependencies: ["TillCore", "TillHardware", openCombine], swiftSettings: strict),

        // For apps: the counter's API over URLSession. Beside TillHardware, for the counter's readers.
        .target(
            name: "TillClient", dependencies: ["TillCore", "TillHardware", crypto, httpTypes],
            exclude: webAuthenticationShell.isEmpty ? [] : ["Apple"], swiftSettings: strict),
        .target(
            name: "TillApplePayClient", dependencies: ["TillCore", "TillApplePay", "TillClient", httpTypes],
            swiftSettings: strict),

        .target(
            name: "TillProvider", dependencies: ["TillCore", "TillHardware", "TillStatements", crypto, httpTypes],
            swiftSettings: strict),

        // Floor 2: the outside parties.
        .target(
            name: "TillHTTP",
            dependencies: ["TillCore", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL, httpTypes],
            swiftSettings: strict),
        .target(name: "TillShop", dependencies: ["TillCore", crypto, httpTypes], swiftSettings: strict),
        // The smart card library is found when it is needed, too.
        .target(name: "TillPCSC", dependencies: ["TillCore", "TillContactless"], swiftSettings: strict),
        .target(
            name: "TillStripe",
            dependencies: [
                "TillCore", "TillCards", "TillHardware", "TillProvider", "TillStatements", "TillHTTP", crypto,
                httpTypes,
            ],
            swiftSettings: strict),
        .target(
            name: "TillBraintree",
            dependencies: [
                "TillCore", "TillCards", "TillPayPalClient", "TillBraintreeClient", "TillProvider", "TillStatements",
                crypto, httpTypes,
            ],
            swiftSettings: strict),
        .target(
            name: "TillAdyen",
            dependencies: [
                "TillCore", "TillHardware", "TillProvider", "TillStatements", crypto, cryptoExtras, httpTypes,
            ],
            swiftSettings: strict),
        .target(
            name: "TillPayPal",
            dependencies: [
                "TillCore", "TillCards", "TillPayPalClient", "TillProvider", "TillStatements", asn1, x509, httpTypes,
            ],
            swiftSettings: strict),

        // Pango and Cairo are found when they are needed, so that nothing has to be there to build or to start.
        .target(
            name: "TillCanvas", dependencies: ["TillCore", "TillReceipts"],
            exclude: coreTextShell.isEmpty ? [] : ["Apple"], swiftSettings: strict),
        .target(
            name: "TillPrinting",
            dependencies: [
                "TillCore", "TillReceipts", "TillCanvas", "TillPrinterService", "TillHTTP", asyncHTTPClient, nioCore,
                nioHTTP1, nioPosix,
                nioTLS,
                nioSSL, crypto,
            ], swiftSettings: strict),

        .target(
            name: "TillMail", dependencies: ["TillCore", nioCore, nioPosix, nioSSL],
            swiftSettings: strict),

        // Floor 3: what is kept, what is run, and the stand-ins.
        .target(name: "TillJournal", dependencies: ["TillCore", crypto], swiftSettings: simulated),
        // Beside TillJournal, each on its own: the databases. libpq is found when it is needed.
        .target(
            name: "TillJournalSQLite", dependencies: ["TillCore", "TillJournal", grdb],
            swiftSettings: simulated),
        .target(name: "TillPostgres", dependencies: ["TillCore", "TillJournal"], swiftSettings: strict),
        .target(
            name: "TillCheckout", dependencies: ["TillCore", "TillJournal", "TillStatements"], swiftSettings: simulated),
        // Beside TillJournal: the ledger is a projection of it.
        .target(
            name: "TillBooks", dependencies: ["TillCore", "TillJournal", "TillStatements", crypto],
            swiftSettings: simulated),
        .target(
            name: "TillSandbox",
            dependencies: [
                "TillCore", "TillContactless", "TillTapToPay", "TillOffline", "TillStatements", grdb, crypto,
            ],
            swiftSettings: simulated),
        // Beside TillSandbox, whose ledger and faults some of them show on a vendor's wire. One vendor each.
        .target(
            name: "TillStandInServing",
            dependencies: [
                "TillCore", "TillHTTP", hummingbird, hummingbirdCore, hummingbirdTLS, httpTypes, log, nioCore, nioSSL,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInStripe",
            dependencies: [
                "TillCore", "TillCards", "TillHTTP", "TillSandbox", "TillStandInServing", crypto, httpTypes,
                hummingbird,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInPayPal",
            dependencies: [
                "TillCore", "TillCards", "TillHTTP", "TillSandbox", "TillStandInServing", asn1, crypto, cryptoExtras,
                httpTypes, hummingbird, x509,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInBraintree",
            dependencies: [
                "TillCore", "TillCards", "TillHTTP", "TillSandbox", "TillStandInServing", crypto, httpTypes,
                hummingbird,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInAdyen",
            dependencies: [
                "TillCore", "TillHTTP", "TillSandbox", "TillStandInServing", crypto, cryptoExtras, httpTypes,
                hummingbird,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInApple",
            dependencies: [
                "TillCore", "TillApplePay", "TillStandInServing", asn1, crypto, cryptoExtras, httpTypes, hummingbird,
                hummingbirdTLS, log, nioCore, nioSSL, x509,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInCard", dependencies: ["TillCore", "TillContactless", nioCore, nioPosix],
            swiftSettings: strict),
        .target(
            name: "TillStandInShop",
            dependencies: [
                "TillCore", "TillHTTP", "TillStandInServing", crypto, httpTypes, hummingbird, nioCore,
            ],
            swiftSettings: strict),
        .target(
            name: "TillStandInPrinter",
            dependencies: [
                "TillCore", "TillReceipts", "TillStandInServing", httpTypes, hummingbird, nioCore, nioPosix,
            ],
            swiftSettings: strict),

        // gzip by the system's zlib, for the files of pages.
        .target(name: "CTillGzip", linkerSettings: [.linkedLibrary("z")]),
        // Floor 4: the counter, and the web around it.
        .target(
            name: "TillCounter",
            dependencies: [
                "TillCore", "TillApplePay", "TillCanvas", "TillCards", "TillCheckout", "TillHTTP", "TillHardware",
                "TillJournal", "TillMail", "TillOffline", "TillPrinting", "TillProvider", "TillReceipts",
                "TillSandbox", crypto, cryptoExtras, httpTypes, lifecycle, log, nioCore, nioPosix, tracing,
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: strict),
        .target(
            name: "TillWeb",
            dependencies: [
                "CTillGzip", "TillCore", "TillBooks", "TillCards", "TillCheckout", "TillCounter", "TillHTTP",
                "TillHardware", "TillJournal", "TillProvider", asn1, crypto, httpTypes, hummingbird, hummingbirdCore,
                lifecycle, log, nioCore, nioHTTP1, nioPosix, nioSSL, tracing,
            ],
            swiftSettings: strict),
        // Floor 5: the features of the server.
        feature(
            "ApplePay", "TillApplePay", "TillCheckout", "TillCounter", "TillFeatureWebhooks", "TillHTTP", "TillJournal",
            "TillProvider", "TillStandInApple", asyncHTTPClient, crypto, nioHTTP1, nioPosix, nioSSL,
            resources: [.embedInCode("Assets")]),
        feature(
            "Books", "TillBooks", "TillCheckout", "TillCounter", "TillJournal", "TillProvider", "TillStatements",
            lifecycle),
        feature(
            "CardFields", "TillCards", "TillCheckout", "TillCounter", "TillJournal", "TillProvider", "TillReceipts",
            resources: [.embedInCode("Assets")]),
        feature("Day", "TillBooks", "TillCanvas", "TillCounter", "TillJournal", "TillReceipts", log),
        feature("Insights", "TillBooks", "TillCheckout", "TillCounter", "TillJournal", "TillOffline"),
        feature("Operations", "TillCheckout", "TillCounter", "TillJournal", "TillOffline", "TillProvider"),
        feature(
            "Orders", "TillCheckout", "TillCounter", "TillJournal", "TillOrders", log,
            resources: [.embedInCode("Assets")]),
        feature("Page", "TillCards", resources: [.embedInCode("Assets")]),
        feature(
            "Payments", "TillBooks", "TillCards", "TillCheckout", "TillCounter", "TillHardware", "TillJournal",
            "TillOrders", "TillProvider", log),
        feature(
            "Receipts", "TillCanvas", "TillCheckout", "TillCounter", "TillHardware", "TillJournal", "TillPrinting",
            "TillReceipts", log),
        feature(
            "Shops", "TillCheckout", "TillCounter", "TillFeatureOrders", "TillFeatureWebhooks", "TillHTTP",
            "TillJournal", "TillOrders", "TillShop", crypto, lifecycle, log),
        feature(
            "Staff", "TillCheckout", "TillCounter", "TillJournal", "TillReceipts", crypto, cryptoExtras, log),
        feature(
            "Tap", "TillCheckout", "TillContactless", "TillCounter", "TillHardware", "TillSandbox", "TillTapToPay",
            lifecycle),
        feature("Terminal", "TillCheckout", "TillCounter", "TillHardware", "TillJournal", "TillProvider"),
        feature(
            "Webhooks", "TillCounter", "TillHTTP", "TillJournal", asyncHTTPClient, crypto, lifecycle, log, nioHTTP1,
            nioPosix, nioSSL),
        // Floor 6: the server and the command line.
        .target(
            name: "TillServer",
            dependencies: [
                "TillCore", "TillBooks", "TillCheckout", "TillCounter", "TillJournal", "TillProvider", "TillReceipts",
                "TillWeb", hummingbird, hummingbirdCore, lifecycle, log, nioCore, nioHTTP1, unixSignals,
            ] + features,
            swiftSettings: strict),
        // What only C can say about a process: it wipes what it frees, and shuts its memory to others.
        .target(name: "CTillProcess"),
        .target(
            name: "TillCommandLine",
            dependencies: [
                "CTillProcess", "TillCore", "TillOrders", "TillCanvas", "TillPrinting", "TillReceipts",
                "TillHardware", "TillJournal", "TillJournalSQLite", "TillPostgres", "TillCheckout", "TillSandbox",
                "TillStandInAdyen", "TillStandInApple", "TillStandInBraintree", "TillStandInCard", "TillStandInPayPal",
                "TillStandInPrinter", "TillStandInServing", "TillStandInShop", "TillStandInStripe", "TillCounter",
                "TillServer", "TillWeb", "TillHTTP", "TillShop",
                "TillProvider", "TillStatements", "TillStripe",
                "TillPayPal",
                "TillPayPalClient",
                "TillBraintree", "TillAdyen", "TillCards", "TillApplePay", "TillBooks", "TillContactless",
                "TillTapToPay", "TillOffline", "TillPCSC", crypto, httpTypes, log,
                unixSignals, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + features,
            swiftSettings: strict),
        .executableTarget(
            name: "TillCommand", dependencies: ["TillCommandLine"], path: "Sources/till", swiftSettings: strict),

        // The proof: a seeded world around the real engine. Not a product for shops.
        .target(
            name: "TillSimulation",
            dependencies: [
                "TillCore", "TillBooks", "TillJournal", "TillCheckout", "TillSandbox", "TillStandInStripe",
                "TillStripe",
                "TillHardware", "TillOffline", "TillProvider", "TillStatements", "TillTestSupport", httpTypes,
            ],
            swiftSettings: simulated),
        .executableTarget(
            name: "till-simulate",
            dependencies: ["TillSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        .executableTarget(
            name: "offline-benchmark", dependencies: ["TillCore", "TillJournal", "TillOffline", grdb],
            path: "Benchmarks/offline", exclude: ["rival.py"], swiftSettings: strict),
        .executableTarget(
            name: "journal-benchmark", dependencies: ["TillCore", "TillJournal", "TillJournalSQLite", "TillPostgres"],
            path: "Benchmarks/journal", swiftSettings: strict),
        .executableTarget(
            name: "floor-benchmark", dependencies: [hummingbird, nioCore, grdb], path: "Benchmarks/floor",
            swiftSettings: strict),
        .executableTarget(
            name: "applepay-benchmark",
            dependencies: ["TillCore", "TillApplePay", "TillStandInApple", "TillTestSupport", crypto],
            path: "Benchmarks/applepay", exclude: ["README.md", "run"], swiftSettings: strict),
        .executableTarget(
            name: "cards-benchmark",
            dependencies: ["TillCore", "TillCards", "TillHTTP", "TillPayPalClient", "TillPayPal"],
            path: "Benchmarks/cards", exclude: ["README.md", "run", "paypal_client.py"], swiftSettings: strict),
        .executableTarget(
            name: "ipp-fuzz",
            dependencies: ["TillPrinting", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Benchmarks/printing", exclude: ["README.md"], swiftSettings: strict),
        .executableTarget(
            name: "contactless-benchmark",
            dependencies: ["TillCore", "TillContactless", "TillPCSC", "TillStandInCard"],
            path: "Benchmarks/contactless", exclude: ["pyemv_rate.py", "run"], swiftSettings: strict),
        example("FirstSale", "TillJournal", "TillJournalSQLite", "TillCheckout"),
        example(
            "TapToPay", "TillJournal", "TillJournalSQLite", "TillCheckout", "TillContactless", "TillTapToPay",
            "TillCounter", "TillSandbox", "TillServer", "TillWeb"),
        example(
            "ReaderSale", "TillJournal", "TillJournalSQLite", "TillCheckout", "TillHardware", "TillReceipts",
            "TillSandbox"),
        example("CounterSale", "TillClient", "TillHardware"),
        example("AppCheckout", "TillClient"),
        example("OnlineOrder", "TillCards", "TillPayPalClient", "TillPayPal", "TillStandInPayPal"),
        example("ApplePayToken", "TillApplePay", "TillStandInApple"),
        example("ApplePaySale", "TillApplePay", "TillApplePayClient", "TillClient", httpTypes),
        example("ShopInSwift", crypto, httpTypes, hummingbird, nioCore),

        // What several rooms' tests share.
        .target(
            name: "TillTestSupport", dependencies: ["TillCore", httpTypes], path: "Tests/TillTestSupport",
            swiftSettings: simulated),
        // What every provider promises; each provider's tests run it over their own stand-in.
        .target(
            name: "ProviderConformance", dependencies: ["TillCore", "TillCheckout", "TillJournal", httpTypes],
            path: "Tests/ProviderConformance", swiftSettings: strict),
        tests("TillCore"),
        tests("TillOrders"),
        tests("TillReceipts", ["TillCanvas", crypto] + coreTextShell),
        tests("TillMail", nioCore, nioPosix),
        tests("TillShop", "TillHTTP", "TillStandInServing", "TillStandInShop", httpTypes),
        tests("TillPrinting", "TillCanvas", "TillPrinterService", "TillReceipts", "TillJournal", nioCore, nioPosix),
        tests("TillHardware"),
        tests("TillPrinterService", ["TillHardware", "TillReceipts"] + airPrintShell),
        tests("TillCards", httpTypes),
        tests(
            "TillBraintree", "ProviderConformance", "TillCards", "TillPayPalClient", "TillBraintreeClient", "TillHTTP",
            "TillCheckout", "TillJournal", "TillSandbox", "TillStandInBraintree", "TillStatements", httpTypes),
        tests(
            "TillPayPal", "ProviderConformance", "TillCards", "TillPayPalClient", "TillHTTP", "TillJournal",
            "TillCheckout",
            "TillSandbox", "TillStandInPayPal", "TillStatements", crypto, httpTypes),
        tests("TillApplePay", ["TillSandbox", "TillStandInApple", asn1, crypto, x509] + passKitShell),
        tests("TillContactless", crypto, cryptoExtras),
        tests(
            "TillAdyen", "ProviderConformance", "TillCards", "TillHardware", "TillProvider", "TillStatements",
            "TillSandbox",
            "TillStandInAdyen", httpTypes),
        tests(
            "TillTapToPay",
            ["TillCheckout", "TillContactless", "TillOffline", "TillSandbox", crypto] + proximityReaderShell),
        tests("TillOffline", "ProviderConformance", "TillCheckout", "TillJournal", "TillSandbox", crypto),
        tests("TillPCSC", "TillContactless"),
        tests("TillClient", ["TillHardware", httpTypes] + webAuthenticationShell),
        tests("TillApplePayClient", "TillApplePay", "TillClient", httpTypes),
        tests("TillHardwareCombine", "TillHardware", openCombine),
        tests("TillHTTP", nioCore, nioPosix, httpTypes),
        tests(
            "TillStripe", "ProviderConformance", "TillCards", "TillHardware", "TillHTTP", "TillSandbox",
            "TillStandInStripe", "TillStatements",
            crypto, httpTypes),
        tests("TillJournal", "TillJournalSQLite", "TillPostgres", grdb),
        tests(
            "TillBooks", "TillAdyen", "TillBraintree", "TillCheckout", "TillHTTP", "TillJournal", "TillPayPal",
            "TillProvider", "TillStatements", "TillSandbox", "TillStripe", httpTypes),
        tests("TillSandbox", "TillCards", "TillHardware"),
        .testTarget(
            name: "TillStandInsTests",
            dependencies: [
                "TillCore", "TillTestSupport", "TillAdyen", "TillCards", "TillCheckout", "TillHardware", "TillHTTP",
                "TillJournal", "TillProvider", "TillSandbox", "TillStripe", httpTypes,
            ] + standIns.map { .target(name: $0) },
            exclude: ["stripe_library.py"],
            swiftSettings: strict),
        tests(
            "TillCheckout", "ProviderConformance", "TillCards", "TillJournal", "TillProvider", "TillStatements",
            "TillSandbox",
            "TillSimulation"),
        tests("TillSimulation"),
        tests(
            "TillServer",
            [
                "TillAdyen", "TillApplePay", "TillBooks", "TillCards", "TillCheckout", "TillContactless",
                "TillCounter", "TillHTTP", "TillJournal", "TillJournalSQLite", "TillProvider", "TillReceipts",
                "TillSandbox", "TillShop", "TillStandInApple", "TillStandInShop", "TillStripe", "TillTapToPay",
                "TillWeb", grdb, hummingbird, lifecycle, httpTypes, nioCore, nioHTTP1, tracing, inMemoryTracing,
            ] + features),
        .testTarget(
            name: "TillCommandLineTests",
            dependencies: [
                "TillCommandLine", "TillCore", "TillCheckout", "TillHardware", "TillJournal", "TillProvider",
                "TillCounter", "TillServer", "TillWeb", httpTypes,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + features,
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)

#if os(Linux)
    package.targets += [
        .target(name: "PassKit", path: "Tests/AppleInterfaces/PassKit", swiftSettings: strict),
        .target(
            name: "SwiftUIInterface", dependencies: ["PassKit"], path: "Tests/AppleInterfaces/SwiftUIInterface",
            swiftSettings: strict),
        .target(
            name: "TillApplePayShell", dependencies: ["TillCore", "TillApplePay", "PassKit", "SwiftUIInterface"],
            path: "Sources/TillApplePay/Apple", swiftSettings: strict + [.define("TILL_SHELL_APART")]),
        .target(name: "UIKitPrinting", path: "Tests/AppleInterfaces/UIKitPrinting", swiftSettings: strict),
        .target(
            name: "TillPrinterServiceShell", dependencies: ["TillReceipts", "TillPrinterService", "UIKitPrinting"],
            path: "Sources/TillPrinterService/Apple", swiftSettings: strict + [.define("TILL_SHELL_APART")]),
        .target(name: "CoreTextInterface", path: "Tests/AppleInterfaces/CoreTextInterface", swiftSettings: strict),
        .target(
            name: "TillCanvasShell", dependencies: ["TillCanvas", "CoreTextInterface"],
            path: "Sources/TillCanvas/Apple", swiftSettings: strict + [.define("TILL_SHELL_APART")]),
        .target(name: "ProximityReader", path: "Tests/AppleInterfaces/ProximityReader", swiftSettings: strict),
        .target(
            name: "TillTapToPayShell", dependencies: ["TillCore", "TillTapToPay", "ProximityReader"],
            path: "Sources/TillTapToPay/Apple", swiftSettings: strict + [.define("TILL_SHELL_APART")]),
        .target(
            name: "WebAuthenticationInterface", path: "Tests/AppleInterfaces/WebAuthenticationInterface",
            swiftSettings: strict),
        .target(
            name: "TillClientShell", dependencies: ["TillCore", "TillClient", "WebAuthenticationInterface"],
            path: "Sources/TillClient/Apple", swiftSettings: strict + [.define("TILL_SHELL_APART")]),
    ]
#endif

/// A program for a reader of the documentation; the tests run it.
func example(_ name: String, _ more: Target.Dependency...) -> Target {
    .executableTarget(
        name: name, dependencies: ["TillCore"] + more, path: "Examples/" + name, swiftSettings: strict)
}

/// The tests of one room.
func tests(_ room: String, _ more: Target.Dependency...) -> Target { tests(room, more) }

func tests(_ room: String, _ more: [Target.Dependency]) -> Target {
    let always = room == "TillCore" ? [] : ["TillCore"]
    return .testTarget(
        name: room + "Tests",
        dependencies: (always + [room, "TillTestSupport"]).map { .target(name: $0) } + more,
        swiftSettings: strict)
}

// One room, or some: `TILL_ROOM=TillCore swift test` compiles that room, what it stands on and its tests, nothing else.
if let rooms = Context.environment["TILL_ROOM"]?.split(separator: ","), !rooms.isEmpty {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    var open = rooms.flatMap { ["\($0)", "\($0)Tests"] }
    // One conformance suite tests the journals of both rooms.
    if rooms.contains(where: { $0 == "TillPostgres" || $0 == "TillJournalSQLite" }) { open.append("TillJournalTests") }
    // One suite tests the server with its counter, web and features.
    if rooms.contains(where: { $0 == "TillCounter" || $0 == "TillWeb" || $0.hasPrefix("TillFeature") }) {
        open.append("TillServerTests")
    }
    // The tests of the command line start the binary.
    if rooms.contains("TillCommandLine") { open.append("TillCommand") }
    while let name = open.popLast() {
        guard let target = targets[name], kept.insert(name).inserted else { continue }
        open += target.dependencies.compactMap { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let needs = (product as? Product.Executable)?.targets ?? (product as? Product.Library)?.targets ?? []
        return !kept.isSuperset(of: needs)
    }
}
