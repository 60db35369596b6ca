package dev.decant.lab.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FixPlanTest {
  private static final FixPlan.Size SIZE = new FixPlan.Size(1000, 2000, 3000, 4000, 500);
  private static final List<Engine> ENGINES = List.of(Engine.BARE_SOCKET, Engine.DECANT_MEMORY, Engine.PHILADELPHIA,
      Engine.QUICKFIXJ_FILE);

  private static FixPlan plan(boolean quick, FixWork... works) {
    return new FixPlan(ENGINES, List.of(works), List.of(), SIZE, 1, quick, List.of(), List.of());
  }

  @Test
  void enginesTakeTurnsThereAndBackInEachGroup() {
    List<FixSetup> turns = plan(false, FixWork.ONE_WAY, FixWork.PACED).turns();

    assertThat(turns).extracting(FixSetup::engine).containsExactly(Engine.BARE_SOCKET, Engine.DECANT_MEMORY,
        Engine.PHILADELPHIA, Engine.QUICKFIXJ_FILE, Engine.QUICKFIXJ_FILE, Engine.PHILADELPHIA, Engine.DECANT_MEMORY,
        Engine.BARE_SOCKET, Engine.BARE_SOCKET, Engine.DECANT_MEMORY, Engine.QUICKFIXJ_FILE, Engine.QUICKFIXJ_FILE,
        Engine.DECANT_MEMORY, Engine.BARE_SOCKET);
  }

  @Test
  void enginesThatBlockAreNotAskedToSpin() {
    assertThat(plan(false, FixWork.ROUND_TRIPS).setups()).filteredOn(setup -> setup.mode().isSpinning())
        .extracting(FixSetup::engine)
        .containsExactly(Engine.BARE_SOCKET, Engine.DECANT_MEMORY, Engine.PHILADELPHIA);
  }

  @Test
  void aQuickRunLeavesOutWhatNoBarIsAbout() {
    assertThat(plan(true, FixWork.ROUND_TRIPS, FixWork.PACED).setups()).noneMatch(
        setup -> setup.engine() == Engine.QUICKFIXJ_FILE
            || (setup.mode() == FixMode.TWO_CPUS_BLOCKING && setup.work() == FixWork.ROUND_TRIPS));
  }

  @Test
  void heartbeatsFireWhereALogIsWrittenOrNothingIsSent() {
    FixPlan plan = plan(false, FixWork.values());
    FixSpec logged = spec(plan, FixWork.ROUND_TRIPS_LOGGED);
    FixSpec idle = spec(plan, FixWork.IDLE);
    FixSpec plain = spec(plan, FixWork.ROUND_TRIPS);

    assertThat(logged.session()).isEqualTo(new FixSpec.Sessions(1, 1, true, ""));
    assertThat(idle.session()).isEqualTo(new FixSpec.Sessions(10, 1, false, ""));
    assertThat(idle.amount().millis()).isEqualTo(4000);
    assertThat(plain.session()).isEqualTo(new FixSpec.Sessions(1, 30, false, ""));
    assertThat(plain.amount().messages()).isEqualTo(1000);
  }

  private static FixSpec spec(FixPlan plan, FixWork work) {
    return plan.spec(new FixSetup(Engine.QUICKFIXJ_FILE, work, FixMode.ONE_CPU), Path.of("somewhere"));
  }

  @Test
  void aSpecificationIsTheSameBehindJson() throws Exception {
    FixSpec spec = spec(plan(false, FixWork.PACED), FixWork.PACED);

    assertThat(FixSpec.ofJson(spec.toJson())).isEqualTo(spec);
  }

  @Test
  void aScheduleHasPausesThatAreLongerThanTwoHeartbeatIntervals() {
    Schedule schedule = new Schedule(500);
    schedule.begin(1, 1_000);

    assertThat(schedule.nanosOf(1)).isEqualTo(1_000);
    assertThat(schedule.nanosOf(2) - schedule.nanosOf(1)).isEqualTo(2_000_000);
    assertThat(schedule.nanosOf(1_001) - schedule.nanosOf(1_000)).isEqualTo(2_000_000 + Schedule.PAUSE_NANOS);
    assertThat(Schedule.ordersIn(6_500, 500)).isEqualTo(2_000);
    assertThat(Schedule.ordersIn(1, 500)).isEqualTo(1_000);
  }

  @Test
  void jvmsAreBoundToTheLastProcessors() {
    Processors four = new Processors(Processors.parse("0-1,4,7"), true);

    assertThat(four.launcher(FixMode.ONE_CPU)).containsExactly("taskset", "-c", "7");
    assertThat(four.launcher(FixMode.TWO_CPUS_BLOCKING)).containsExactly("taskset", "-c", "4,7");
    assertThat(new Processors(List.of(3), true).launcher(FixMode.ONE_CPU)).isEmpty();
    assertThat(new Processors(List.of(3), true).obstacle(FixMode.TWO_CPUS_SPINNING)).contains("only 1");
    assertThat(new Processors(List.of(0, 1), false).obstacle(FixMode.ONE_CPU)).contains("taskset");
    assertThat(Processors.parse("no list")).isEmpty();
  }

  @Test
  void theOrderHas150Bytes() {
    assertThat(Order.bytes(1, 123_456).remaining()).isEqualTo(Order.WIRE_BYTES).isEqualTo(150);
    assertThat(Order.idOf(100_000_001)).isEqualTo(1);
    assertThat(Order.id(42)).isEqualTo("00000042");
  }
}
