package dev.decant.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** One line for each setting that stops the start. */
final class RefusedSettingsAnalyzer extends AbstractFailureAnalyzer<RefusedSettingsException> {
  @Override
  protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RefusedSettingsException cause) {
    return new FailureAnalysis("Decant refuses a Kafka setting:\n    " + String.join("\n    ", cause.refusals()),
        "Do what the line says. Or keep Apache's clients: decant.unsupported-settings=apache for this factory alone,"
            + " decant.enabled=false for all.",
        cause);
  }
}
