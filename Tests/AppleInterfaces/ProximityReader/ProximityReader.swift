// The part of ProximityReader's public interface that Till's adapter uses, declared so that the adapter is type-checked
// and run where that framework is not. It is in no product.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// What each is for stands in Apple's documentation.
public import Foundation
