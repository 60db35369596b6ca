package dev.decant.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerLimitsTest {
  @TempDir
  private Path root = Path.of("");

  private void file(String name, String content) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
  }

  private ContainerLimits read() {
    return ContainerLimits.read(root, "self");
  }

  @Test
  void version2InsideOfAContainer() throws IOException {
    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "1073741824\n");
    file("sys/fs/cgroup/cpu.max", "150000 100000\n");

    assertThat(read()).isEqualTo(new ContainerLimits(OptionalLong.of(1 << 30), OptionalDouble.of(1.5)));
  }

  @Test
  void leastLimitOfAllGroupsAboveTheProcessCounts() throws IOException {
    file("proc/17/cgroup", "0::/system.slice/app.service\n");
    file("sys/fs/cgroup/system.slice/app.service/memory.max", "max\n");
    file("sys/fs/cgroup/system.slice/app.service/cpu.max", "400000 100000\n");
    file("sys/fs/cgroup/system.slice/memory.max", "2000000\n");
    file("sys/fs/cgroup/system.slice/cpu.max", "max 100000\n");
    file("sys/fs/cgroup/memory.max", "3000000\n");
    file("sys/fs/cgroup/cpu.max", "200000 100000\n");

    assertThat(ContainerLimits.read(root, "17"))
        .isEqualTo(new ContainerLimits(OptionalLong.of(2_000_000), OptionalDouble.of(2)));
  }

  @Test
  void version1WithControllersTogetherAndApart() throws IOException {
    file("proc/self/cgroup", "12:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n3:cpuset:/\n0::/\n");
    file("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "536870912\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    file("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "50000\n");
    file("sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");

    assertThat(read()).isEqualTo(new ContainerLimits(OptionalLong.of(512 << 20), OptionalDouble.of(0.5)));
  }

  /** In a container of version 1 the path is often the host's, while the mount shows the container's own group. */
  @Test
  void pathOfTheHostFallsBackToTheMount() throws IOException {
    file("proc/self/cgroup", "12:memory:/kubepods/pod7/abc\n4:cpu:/kubepods/pod7/abc\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
    file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");

    assertThat(read()).isEqualTo(new ContainerLimits(OptionalLong.of(256 << 20), OptionalDouble.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0::", "0::/../../../etc", "x:y", "12:memory:", "4:cpu,cpuacct:/\n\n::::\n"})
  void whatCannotBeReadIsNoLimit(String groups) throws IOException {
    file("proc/self/cgroup", groups);
    file("sys/fs/cgroup/memory.max", "plenty\n");
    file("sys/fs/cgroup/cpu.max", "100000\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "");
    file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "99999999999999999999\n");
    file("etc/memory.max", "1\n");

    assertThat(read()).isEqualTo(new ContainerLimits(OptionalLong.empty(), OptionalDouble.empty()));
  }

  @Test
  void memorySeenIsTheMachinesOrTheLimitIfThatIsLess() throws IOException {
    assertThat(read().memorySeen(root)).isEmpty();

    file("proc/meminfo", "MemTotal:        2000000 kB\nMemFree:          100000 kB\n");
    assertThat(read().memorySeen(root)).hasValue(2_000_000L * 1024);

    file("proc/self/cgroup", "0::/\n");
    file("sys/fs/cgroup/memory.max", "1000\n");
    assertThat(read().memorySeen(root)).hasValue(1000);
  }
}
