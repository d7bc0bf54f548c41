// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "mustache-receipts", platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1")],
    targets: [
        .executableTarget(
            name: "mustache-receipts", dependencies: [.product(name: "Mustache", package: "swift-mustache")])
    ])
