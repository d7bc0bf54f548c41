// swift-tools-version: 6.2
import PackageDescription

/// Every room is compiled with the same strictness: Swift 6 mode, explicit existentials,
/// and an import is internal unless a public signature needs it.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let openCombine: Target.Dependency = .product(
    name: "OpenCombine", package: "OpenCombine", condition: .when(platforms: [.linux]))
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "till",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "TillCore", targets: ["TillCore"]),
        .library(name: "TillReceipts", targets: ["TillReceipts"]),
        .library(name: "TillHardware", targets: ["TillHardware"]),
        .library(name: "TillHardwareCombine", targets: ["TillHardwareCombine"]),
        .library(name: "TillHTTP", targets: ["TillHTTP"]),
        .library(name: "TillStripe", targets: ["TillStripe"]),
        .library(name: "TillJournal", targets: ["TillJournal"]),
        .library(name: "TillCheckout", targets: ["TillCheckout"]),
        .library(name: "TillSandbox", targets: ["TillSandbox"]),
        .library(name: "TillServer", targets: ["TillServer"]),
        .executable(name: "till", targets: ["TillCommand"]),
        .executable(name: "till-simulate", targets: ["till-simulate"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(
            url: "https://github.com/apple/swift-configuration", from: "1.4.0",
            traits: [.defaults, "CommandLineArguments"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Floor 0: what money, an order and a payment are. No I/O.
        .target(name: "TillCore", dependencies: [httpTypes], swiftSettings: strict),

        // Floor 1: builds for iOS, macOS and Linux; imports the floor below only.
        .target(name: "TillReceipts", dependencies: ["TillCore"], swiftSettings: strict),
        .target(name: "TillHardware", dependencies: ["TillCore", "TillReceipts"], swiftSettings: strict),
        .target(
            name: "TillHardwareCombine", dependencies: ["TillCore", "TillHardware", openCombine], swiftSettings: strict),

        // Floor 2: the outside parties.
        .target(
            name: "TillHTTP",
            dependencies: ["TillCore", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL, httpTypes],
            swiftSettings: strict),
        .target(name: "TillStripe", dependencies: ["TillCore", "TillHTTP", crypto, httpTypes], swiftSettings: strict),

        // Floor 3: what is kept, what is run, and the stand-ins.
        .target(name: "TillJournal", dependencies: ["TillCore", grdb, metrics], swiftSettings: strict),
        .target(
            name: "TillCheckout", dependencies: ["TillCore", "TillJournal", log, metrics, tracing],
            swiftSettings: strict),
        .target(
            name: "TillSandbox",
            dependencies: [
                "TillCore", "TillHardware", "TillHTTP", "TillStripe", grdb, crypto, hummingbird, httpTypes, log,
            ],
            swiftSettings: strict),

        // Floor 4: the counter and the command.
        .target(
            name: "TillServer",
            dependencies: [
                "TillCore", "TillReceipts", "TillHardware", "TillHTTP", "TillStripe", "TillJournal", "TillCheckout",
                "TillSandbox",
                crypto, hummingbird, lifecycle, httpTypes, log, metrics, tracing, nioCore,
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            resources: [.embedInCode("Assets")],
            swiftSettings: strict),
        .executableTarget(
            name: "TillCommand",
            dependencies: [
                "TillCore", "TillReceipts", "TillHardware", "TillJournal", "TillCheckout", "TillSandbox", "TillServer",
                crypto, log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            path: "Sources/till",
            swiftSettings: strict),

        // The proof: a seeded world around the real engine. Not a product for shops.
        .target(
            name: "TillSimulation", dependencies: ["TillCore", "TillJournal", "TillCheckout", "TillSandbox"],
            swiftSettings: strict),
        .executableTarget(
            name: "till-simulate",
            dependencies: ["TillSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict),

        .executableTarget(
            name: "FirstSale", dependencies: ["TillCore", "TillJournal", "TillCheckout"], path: "Examples/FirstSale",
            swiftSettings: strict),

        tests("TillCore"),
        tests("TillReceipts", crypto),
        tests("TillHardware", "TillSimulation"),
        tests("TillHardwareCombine", "TillHardware", openCombine),
        tests("TillHTTP", nioCore, nioPosix, httpTypes),
        tests("TillStripe", "TillHTTP", crypto, httpTypes),
        tests("TillJournal", grdb),
        tests("TillSandbox", "TillHardware", "TillHTTP", "TillStripe", grdb, httpTypes),
        tests("TillCheckout", "TillJournal", "TillSandbox", "TillSimulation"),
        tests("TillServer", "TillJournal", "TillCheckout", "TillSandbox", lifecycle),
    ],
    swiftLanguageModes: [.v6]
)

/// The tests of one room.
func tests(_ room: String, _ more: Target.Dependency...) -> Target {
    .testTarget(
        name: room + "Tests", dependencies: ["TillCore", .target(name: room)].uniqued() + more, swiftSettings: strict)
}

extension [Target.Dependency] {
    /// TillCore's own tests name it once.
    func uniqued() -> [Element] { count == 2 && room(0) == room(1) ? Array(prefix(1)) : self }

    private func room(_ index: Int) -> String {
        switch self[index] {
        case .targetItem(let name, _), .byNameItem(let name, _): name
        default: ""
        }
    }
}
