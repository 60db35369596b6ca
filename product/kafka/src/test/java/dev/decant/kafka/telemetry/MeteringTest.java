package dev.decant.kafka.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.time.Clock;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client's meter, and what becomes of its failures. */
class MeteringTest {
  private final Telemetry telemetry = new Telemetry(Clock.system());
  private final List<String> heard = new ArrayList<>();

  private ClientMeter meter(boolean fails) {
    return (ClientMeter) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ClientMeter.class},
        (proxy, method, arguments) -> {
          heard.add(method.getName());
          if (fails) {
            throw new IllegalStateException("out of figures");
          }
          return null;
        });
  }

  /** Tells one thing of each kind. */
  private void tell() {
    Metering metering = telemetry.metering();
    metering.request("a:1", (short) 0, 10);
    metering.throttle(0);
    metering.authenticated(true, 1);
    metering.authenticationFailed(false);
    metering.encrypted("TLS_AES_128_GCM_SHA256", "TLSv1.3");
    metering.encryptedEnded("TLS_AES_128_GCM_SHA256", "TLSv1.3");
    metering.batch("orders", 1, 100, 100);
    telemetry.producer().queued(1);
    metering.split();
    metering.memoryAwaited(1);
    metering.fetchConsumed();
    metering.delivered("orders", 0, 1, 1, -1);
    metering.joined(1);
    metering.synced(1);
    telemetry.group().rebalanceCompleted(1);
    telemetry.group().rebalanceFailed();
  }

  private static List<String> all() {
    return Arrays.stream(ClientMeter.class.getMethods()).map(Method::getName).toList();
  }

  @Test
  void meterHearsEverythingOnceUntilItIsTakenAway() {
    tell();
    telemetry.metering().meter(meter(false));
    tell();
    telemetry.metering().meter(null);
    tell();
    assertThat(heard).containsExactlyInAnyOrderElementsOf(all());
  }

  @Test
  void failureOfTheMeterIsReportedAndGoesNoFurther() {
    List<ErrorKind> errors = new ArrayList<>();
    telemetry.watchErrors(new ErrorListener() {
      @Override
      public void onError(ErrorKind kind, String where, Throwable cause) {
        errors.add(kind);
      }
    });
    telemetry.metering().meter(meter(true));
    tell();
    assertThat(errors).hasSameSizeAs(all()).containsOnly(ErrorKind.LISTENER_FAILED);
  }
}
