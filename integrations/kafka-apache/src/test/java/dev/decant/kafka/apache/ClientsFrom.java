package dev.decant.kafka.apache;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** A test that needs a release of kafka-clients, such as {@code 4.1}, or a newer one. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ClientsFrom.Condition.class)
@interface ClientsFrom {
  String value();

  /** Reason why an older release cannot pass. */
  String because();

  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      return AnnotationSupport.findAnnotation(context.getElement(), ClientsFrom.class)
          .filter(needed -> isOlder(release(), needed.value()))
          .map(needed -> ConditionEvaluationResult.disabled("needs kafka-clients " + needed.value() + ": "
              + needed.because()))
          .orElseGet(() -> ConditionEvaluationResult.enabled("this release has what is tested"));
    }

    /** The class that reports the release has another name from 4.4 on, but its file has the same. */
    private static String release() {
      try (InputStream file = TopicPartition.class.getResourceAsStream("/kafka/kafka-version.properties")) {
        Properties properties = new Properties();
        properties.load(Objects.requireNonNull(file));
        return properties.getProperty("version");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static boolean isOlder(String present, String needed) {
      return Arrays.compare(numbers(present), numbers(needed)) < 0;
    }

    /** Returns major and minor number. */
    private static int[] numbers(String release) {
      String[] parts = release.split("[.-]", -1);
      return new int[] {Integer.parseInt(parts[0]), Integer.parseInt(parts[1])};
    }
  }
}
