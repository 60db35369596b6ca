package dev.decant.kafka.apache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.KafkaTimeoutException;
import dev.decant.kafka.TransactionException;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.security.AuthenticationException;
import dev.decant.kafka.security.SslAuthenticationException;
import dev.decant.tls.TlsException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class ApacheErrorsTest {
  private static final String MESSAGE = "broker 127.0.0.1:9092 says no";

  /** A broker of another release may send a code that this release of Apache's clients does not have. */
  private static boolean isKnown(ErrorCode code) {
    return Arrays.stream(Errors.values()).anyMatch(error -> error.code() == code.code());
  }

  @ParameterizedTest
  @EnumSource(value = ErrorCode.class, mode = Mode.EXCLUDE, names = {"NONE", "CLIENT_CLOSED", "POLL_INTERVAL_EXCEEDED",
      "ASSIGNMENT_FAILED"})
  void everyCodeBecomesTheExceptionThatApacheHasForIt(ErrorCode code) {
    KafkaException failure = new KafkaException(code, MESSAGE);

    RuntimeException same = ApacheErrors.of(failure);

    assertThat(same).hasMessage(MESSAGE).hasCause(failure);
    if (isKnown(code)) {
      assertThat(same).isExactlyInstanceOf(Objects.requireNonNull(Errors.forCode(code.code()).exception()).getClass());
      assertThat(Errors.forException(same).code()).isEqualTo(code.code());
    } else {
      assertThat(same).isExactlyInstanceOf(UnknownServerException.class);
    }
  }

  /** Both clients use Apache's class names, which programs catch, for the same codes. */
  @Test
  void namesOfCodesAreApaches() {
    assertThat(Arrays.stream(ErrorCode.values()).filter(ApacheErrorsTest::isKnown)).isNotEmpty()
        .allSatisfy(code -> assertThat(Errors.forCode(code.code()).name()).isEqualTo(code.name()));
  }

  @ParameterizedTest
  @EnumSource(value = ErrorCode.class, mode = Mode.INCLUDE, names = {"NONE", "CLIENT_CLOSED", "POLL_INTERVAL_EXCEEDED",
      "ASSIGNMENT_FAILED"})
  void failureThatNoBrokerHasReportedIsApachesGeneralException(ErrorCode code) {
    KafkaException failure = new KafkaException(code, MESSAGE);

    assertThat(ApacheErrors.of(failure)).isExactlyInstanceOf(org.apache.kafka.common.KafkaException.class)
        .hasMessage(MESSAGE).hasCause(failure);
  }

  @Test
  void deadlineIsATimeoutWithTheLastErrorAsItsCause() {
    KafkaException before = new KafkaException(ErrorCode.COORDINATOR_NOT_AVAILABLE, "later");

    assertThat(ApacheErrors.of(new KafkaTimeoutException(MESSAGE, before)))
        .isExactlyInstanceOf(TimeoutException.class).hasMessage(MESSAGE)
        .hasCauseInstanceOf(org.apache.kafka.common.errors.CoordinatorNotAvailableException.class);
    KafkaTimeoutException alone = new KafkaTimeoutException(MESSAGE, null);
    assertThat(ApacheErrors.of(alone)).isExactlyInstanceOf(TimeoutException.class).hasCause(alone);
  }

  @Test
  void refusedCredentialsAreSaslsAndRefusedCertificatesSsls() {
    assertThat(ApacheErrors.of(new AuthenticationException(MESSAGE)))
        .isExactlyInstanceOf(SaslAuthenticationException.class).hasMessage(MESSAGE);
    assertThat(ApacheErrors.of(new AuthenticationException(ErrorCode.UNSUPPORTED_SASL_MECHANISM, MESSAGE, null)))
        .isExactlyInstanceOf(org.apache.kafka.common.errors.UnsupportedSaslMechanismException.class);
    assertThat(ApacheErrors.of(new SslAuthenticationException(MESSAGE,
        new TlsException(TlsException.Kind.UNTRUSTED, TlsException.Stage.HANDSHAKE, "127.0.0.1:9093", "no", null))))
        .isExactlyInstanceOf(org.apache.kafka.common.errors.SslAuthenticationException.class).hasMessage(MESSAGE);
  }

  @Test
  void errorOfATransactionIsThatOfItsCode() {
    assertThat(ApacheErrors.of(new TransactionException(true, ErrorCode.PRODUCER_FENCED, MESSAGE, null)))
        .isExactlyInstanceOf(org.apache.kafka.common.errors.ProducerFencedException.class);
  }

  @Test
  void interruptedThreadStaysInterrupted() {
    RuntimeException same = ApacheErrors.of(new InterruptedException());

    assertThat(Thread.interrupted()).isTrue();
    assertThat(same).isExactlyInstanceOf(InterruptException.class);
  }

  @Test
  void exceptionOfTheJdkOrOfApacheStaysItself() {
    IllegalStateException state = new IllegalStateException("closed");

    assertThat(ApacheErrors.of(state)).isSameAs(state);
    assertThat(ApacheErrors.of(new IOException("broken")))
        .isExactlyInstanceOf(org.apache.kafka.common.KafkaException.class).hasMessage("broken");
  }
}
