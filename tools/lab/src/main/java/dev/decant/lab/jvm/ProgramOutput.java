package dev.decant.lab.jvm;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a program that was started and has ended wrote, on both of its streams.
 *
 * @param exitCode of the program
 * @param lines that it wrote
 */
public record ProgramOutput(int exitCode, List<String> lines) {

  /**
   * Starts a program without input, and waits for its end and that of its output. If it does not end in time, it is
   * killed with what it has started.
   *
   * @param command the program and its arguments
   * @param patience for the program and the programs that it starts, which may write after it has ended
   * @return what it wrote
   * @throws IOException if it cannot be started
   * @throws ExecutionException if its output cannot be read; the cause says why
   * @throws TimeoutException if it, or its output, has not ended in time
   * @throws InterruptedException if this thread was interrupted
   */
  public static ProgramOutput of(List<String> command, Duration patience)
      throws IOException, ExecutionException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      FutureTask<List<String>> output = new FutureTask<>(() -> process.inputReader().lines().toList());
      // no thread of the common pool: a reader whose program does not end its output may stay for long
      Thread.ofPlatform().daemon().name("output of " + command.get(0)).start(output);
      if (!process.waitFor(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException();
      }
      List<String> lines = output.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return new ProgramOutput(process.exitValue(), lines);
    } finally {
      List<ProcessHandle> children = process.descendants().toList(); // none, if it has ended
      process.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
