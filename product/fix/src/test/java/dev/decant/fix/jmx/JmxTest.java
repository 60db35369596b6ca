package dev.decant.fix.jmx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.FixEngine;
import dev.decant.fix.FixSession;
import dev.decant.fix.schedule.SessionSchedule;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Map;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.TabularData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Engines and sessions are MXBeans while they are open, if the builder says so. */
@Timeout(60)
class JmxTest {
  private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
  private static final ObjectName ALL = name("dev.decant.fix:*");

  private static ObjectName name(String text) {
    try {
      return new ObjectName(text);
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  private static FixSession session(FixEngine engine, SessionId id) throws IOException {
    return engine.initiator(SessionSettings.of(id).build(), (from, message) -> {}).host("localhost", 9).open();
  }

  @Test
  void sessionsAreSeenAndSteered() throws Exception {
    SessionId id = new SessionId("FIX.4.4", "A*,=\"?", "", "B:C", "", "");
    try (FixEngine engine = FixEngine.builder().name("desk 1").jmx(true).start()) {
      FixSession session = session(engine, id);
      ObjectName bean = name("dev.decant.fix:type=Session,engine=\"desk 1\",name=" + ObjectName.quote(id.toString()));
      FixSessionMXBean remote = JMX.newMXBeanProxy(SERVER, bean, FixSessionMXBean.class);

      assertThat(remote.getId()).isEqualTo(id.toString());
      assertThat(remote.changeNextOutbound(41)).isEqualTo(41);
      assertThat(session.nextOutbound()).isEqualTo(41);
      assertThat(SERVER.getAttribute(bean, "NextOutbound")).isEqualTo(41L);
      assertThat(SERVER.getAttribute(bean, "Counts")).isInstanceOf(TabularData.class);
      assertThat(remote.getCounts()).containsAllEntriesOf(Map.of("logons", 0L, "garbled", 0L));
      assertThat(remote.getRoundTripMicros()).isNegative();
      assertThat(remote.getStore()).isEqualTo("memory");
      assertThat(remote.disable("")).isEqualTo("not connected");
      assertThat(remote.getState()).isEqualTo("DISABLED");
      assertThatThrownBy(remote::testRequest).isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("is not logged on");
      assertThatThrownBy(() -> remote.send("35=D")).hasMessageContaining("there is no field beside the header");

      FixEngineMXBean whole = JMX.newMXBeanProxy(SERVER, name("dev.decant.fix:type=Engine,name=\"desk 1\""),
          FixEngineMXBean.class);
      assertThat(whole.getSessions()).containsExactly(id.toString());
      assertThat(whole.getSessionCount()).isEqualTo(1);
      assertThat(whole.getLoggedOnCount()).isZero();
      assertThat(whole.getDown()).containsExactly(id + " down: disabled by an operator");

      assertThat(remote.isOpen()).isTrue();
      assertThat(remote.getSchedule()).isEqualTo("always open, no reset");
      assertThat(remote.getNextReset()).isEmpty();
      assertThat(remote.resetSequenceNumbers()).contains("the counterparty must reset its own, too");
      assertThat(remote.isResetPending()).isTrue();
      LocalTime later = LocalTime.now(ZoneOffset.UTC).plusHours(2);
      SessionSchedule closed = SessionSchedule.in(ZoneOffset.UTC).window(later, later.plusHours(1)).build();
      engine.initiator(SessionSettings.of(SessionId.of("FIX.4.4", "A", "B")).schedule(closed).build(),
          (from, message) -> {}).host("localhost", 9).open();
      assertThat(whole.getDown()).as("one that its schedule has closed").hasSize(1);
    }
    assertThat(SERVER.queryNames(ALL, null)).isEmpty();
  }

  /** A client of JMX showed p0 for each parameter, and a null of its was an error without words. */
  @Test
  void operationsAndTheirParametersHaveWords() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "A", "B");
    try (FixEngine engine = FixEngine.builder().jmx(true).start()) {
      session(engine, id);
      ObjectName bean = name("dev.decant.fix:type=Session,engine=\"fix\",name=\"FIX.4.4:A->B\"");
      MBeanInfo info = SERVER.getMBeanInfo(bean);

      assertThat(info.getOperations()).hasSizeGreaterThan(9).allSatisfy(operation -> {
        assertThat(operation.getDescription()).isNotEqualTo(operation.getName()).contains(" ");
        assertThat(operation.getSignature()).allSatisfy(parameter -> {
          assertThat(parameter.getName()).isIn("text", "number", "from", "fields");
          assertThat(parameter.getDescription()).isNotEmpty();
        });
      });
      assertThat(SERVER.invoke(bean, "logout", new Object[] {null}, new String[] {"java.lang.String"}))
          .isEqualTo("not connected");
      assertThatThrownBy(() -> SERVER.invoke(bean, "send", new Object[] {null}, new String[] {"java.lang.String"}))
          .hasRootCauseMessage("there is no MsgType(35)");
    }
  }

  @Test
  void secondEngineOfANameGetsANumber() throws Exception {
    SessionId id = SessionId.of("FIX.4.4", "A", "B");
    try (FixEngine first = FixEngine.builder().jmx(true).start();
        FixEngine second = FixEngine.builder().jmx(true).start()) {
      session(first, id);
      session(second, id);
      assertThat(SERVER.queryNames(ALL, null)).hasSize(4)
          .contains(name("dev.decant.fix:type=Session,engine=\"fix-2\",name=\"FIX.4.4:A->B\""));
    }
    assertThat(SERVER.queryNames(ALL, null)).isEmpty();
  }

  @Test
  void nothingIsRegisteredUnlessItIsSet() throws Exception {
    try (FixEngine engine = FixEngine.builder().start()) {
      session(engine, SessionId.of("FIX.4.4", "A", "B"));
      assertThat(SERVER.queryNames(ALL, null)).isEmpty();
    }
  }

  /** Runs in a JVM of its own. */
  static final class Application {
    private Application() {}

    @SuppressWarnings("SystemOut") // read by the test
    public static void main(String[] args) {
      try (FixEngine engine = FixEngine.builder().start()) {
        System.out.println("the engine has " + engine.sessions().size() + " sessions");
        FixEngine.builder().jmx(true).start();
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void engineRunsWithoutTheModuleOfJmx() throws Exception {
    Process jvm = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "--limit-modules", "java.base,java.xml", "-Xmx64m", "-cp", System.getProperty("java.class.path"),
        Application.class.getName()).redirectErrorStream(true).start();
    try {
      String output = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(jvm.waitFor()).isZero();
      assertThat(output.lines()).containsExactly("the engine has 0 sessions",
          "this Java runtime was started without the module java.management; "
              + "add --add-modules java.management to its command line, or to jlink if it has none");
    } finally {
      jvm.destroyForcibly();
    }
  }
}
