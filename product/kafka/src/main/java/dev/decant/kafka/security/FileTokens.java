package dev.decant.kafka.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A token that another program, for example Kubernetes or Vault's agent, writes to a file. */
final class FileTokens implements TokenProvider {
  /** The attributes of a file that change when it is replaced. */
  private record Version(FileTime modified, long size, @Nullable Object key) {}

  private final Path file;
  private final InstantSource clock;

  /** The attributes of the file that was read last; written under the lock of the cache. */
  private volatile @Nullable Version version;

  FileTokens(Path file, InstantSource clock) {
    this.file = Objects.requireNonNull(file, "file");
    this.clock = clock;
  }

  @Override
  public OAuthToken fetch() throws IOException {
    version = look(); // Before the content: a change between the two reads is then seen at the next call.
    byte[] content = SecretFile.read(file, "the token");
    try {
      return TokenLifetime.ofJwt(new String(content, StandardCharsets.ISO_8859_1), clock.instant());
    } catch (IllegalArgumentException e) {
      throw new IOException("file " + file + ": " + e.getMessage(), null);
    } finally {
      Arrays.fill(content, (byte) 0);
    }
  }

  @Override
  public boolean hasChanged() {
    Version now = look();
    return now != null && !now.equals(version);
  }

  private @Nullable Version look() {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      return new Version(attributes.lastModifiedTime(), attributes.size(), attributes.fileKey());
    } catch (IOException e) {
      return null; // The file is being replaced, or missing. The token that was read stays valid for its time.
    }
  }

  @Override
  public String toString() {
    return "token of " + file;
  }
}
