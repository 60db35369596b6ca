package dev.decant.kafka.security;

import dev.decant.net.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Reads the rule of refreshes from Kafka's {@code sasl.login.refresh.*}. */
final class RefreshSettings {
  private static final String REFRESH = "sasl.login.refresh.";

  private final Map<String, String> properties;

  RefreshSettings(Map<String, String> properties) {
    this.properties = properties;
  }

  LoginRefresh read() {
    LoginRefresh.Builder rule = LoginRefresh.builder();
    set("window.factor", "from 0.5 to 1", text -> rule.windowFactor(Double.parseDouble(text)));
    set("window.jitter", "from 0 to 0.25", text -> rule.windowJitter(Double.parseDouble(text)));
    set("min.period.seconds", "from 0 to 900", text -> rule.minPeriod(Duration.ofSeconds(Integer.parseInt(text))));
    set("buffer.seconds", "from 0 to 3600", text -> rule.buffer(Duration.ofSeconds(Integer.parseInt(text))));
    return rule.build();
  }

  private void set(String name, String bounds, Consumer<String> setter) {
    String text = properties.getOrDefault(REFRESH + name, "").strip();
    if (text.isEmpty()) {
      return;
    }
    try {
      setter.accept(text);
    } catch (IllegalArgumentException e) { // also takes a NumberFormatException
      throw new IllegalArgumentException(REFRESH + name + ": \"" + Printable.of(text) + "\" is no number " + bounds,
          e);
    }
  }
}
