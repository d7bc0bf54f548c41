// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who builds Till has to have the rivals.
let package = Package(
    name: "receipt-benchmarks", platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "till", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
    ],
    targets: [
        .executableTarget(
            name: "receipt-benchmark",
            dependencies: [
                .product(name: "TillCore", package: "till"), .product(name: "TillReceipts", package: "till"),
                .product(name: "TillCanvas", package: "till"),
            ]),
        .executableTarget(
            name: "mustache-receipts", dependencies: [.product(name: "Mustache", package: "swift-mustache")]),
    ])
