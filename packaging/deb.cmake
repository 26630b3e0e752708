# SPDX-License-Identifier: Apache-2.0
# What Debian has elsewhere than others do, moved when all is installed into the
# folder that becomes the package: zsh's completions, and manual pages, which
# are compressed.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(MAKE_DIRECTORY ${root}/zsh/vendor-completions)
file(RENAME ${root}/zsh/site-functions/_diffcheck
  ${root}/zsh/vendor-completions/_diffcheck)
file(REMOVE_RECURSE ${root}/zsh/site-functions)
execute_process(COMMAND gzip -9 -n ${root}/man/man1/diffcheck.1
  COMMAND_ERROR_IS_FATAL ANY)
