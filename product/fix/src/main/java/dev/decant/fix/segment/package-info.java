/** Records of a session in files: segments, which a thread creates ahead of use, and deletes. */
@NullMarked
package dev.decant.fix.segment;

import org.jspecify.annotations.NullMarked;
