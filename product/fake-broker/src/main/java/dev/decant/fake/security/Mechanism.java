package dev.decant.fake.security;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The mechanisms of the brokers. */
enum Mechanism {
  PLAIN("PLAIN"), SCRAM_SHA_256("SCRAM-SHA-256"), SCRAM_SHA_512("SCRAM-SHA-512"), OAUTHBEARER("OAUTHBEARER");

  private final String label;

  Mechanism(String label) {
    this.label = label;
  }

  String label() {
    return label;
  }

  static @Nullable Mechanism of(String label) {
    for (Mechanism one : values()) {
      if (one.label.equals(label)) {
        return one;
      }
    }
    return null;
  }

  static List<String> labels() {
    return List.of(values()).stream().map(Mechanism::label).toList();
  }

  /** Starts the broker's side of a login. */
  SaslExchange begin(Logins logins) {
    return switch (this) {
      case PLAIN -> new PlainExchange(logins);
      case SCRAM_SHA_256 -> new ScramExchange(logins, ScramHash.SHA_256);
      case SCRAM_SHA_512 -> new ScramExchange(logins, ScramHash.SHA_512);
      case OAUTHBEARER -> new BearerExchange(logins);
    };
  }
}
