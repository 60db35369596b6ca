package dev.decant.kafka.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.kafka.common.errors.RefreshRetriableException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorCodeTest {

  @ParameterizedTest
  @EnumSource
  void numberAndRetriabilityAreApaches(Errors theirs) {
    ErrorCode ours = ErrorCode.of(theirs.code());
    assertThat(ours).hasToString(theirs.name());
    assertThat(ours.code()).isEqualTo(theirs.code());
    assertThat(ours.isRetriable()).isEqualTo(theirs.exception() instanceof RetriableException);
    assertThat(ours.kind() == ErrorCode.Kind.REFRESH_METADATA)
        .isEqualTo(theirs.exception() instanceof RefreshRetriableException);
    assertThat(ours.kind() == ErrorCode.Kind.NONE).isEqualTo(theirs == Errors.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void everyErrorOfOursIsOneOfApachesOrIsNeverRead(ErrorCode ours) {
    if (ours.isOfBrokers()) {
      assertThat(Errors.forCode(ours.code()).name()).isEqualTo(ours.name());
    } else {
      assertThat(ours.code()).isLessThan(Errors.UNKNOWN_SERVER_ERROR.code());
      assertThat(ErrorCode.of(ours.code())).isSameAs(ErrorCode.UNKNOWN_SERVER_ERROR);
    }
    assertThat(ours.description()).isNotBlank();
  }

  @Test
  void threeCodesAreThisClientsOwn() {
    assertThat(Arrays.stream(ErrorCode.values()).filter(code -> !code.isOfBrokers()))
        .containsExactlyInAnyOrder(ErrorCode.CLIENT_CLOSED, ErrorCode.POLL_INTERVAL_EXCEEDED,
            ErrorCode.ASSIGNMENT_FAILED);
  }

  @ParameterizedTest
  @ValueSource(shorts = {-2, 137, Short.MIN_VALUE, Short.MAX_VALUE})
  void anUnknownCodeIsAnUnknownServerError(short code) {
    assertThat(ErrorCode.of(code)).isSameAs(ErrorCode.UNKNOWN_SERVER_ERROR);
  }
}
