package dev.decant.spring.boot;

import java.util.Arrays;
import org.apache.kafka.common.config.ConfigException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A client of Decant that could not be opened because of a setting, such as one of a listener's own properties. */
final class RefusedClientAnalyzer extends AbstractFailureAnalyzer<ConfigException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, ConfigException cause) {
    boolean ours = Arrays.stream(cause.getStackTrace())
        .anyMatch(frame -> frame.getClassName().startsWith("dev.decant."));
    return ours
        ? new FailureAnalysis("A Kafka client cannot be opened: " + cause.getMessage(),
            "Correct the setting. If Apache's clients take it, decant.enabled=false goes back to them.", cause)
        : null;
  }
}
