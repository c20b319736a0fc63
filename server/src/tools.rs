//! The worker's own tools, one file each. They know no front and no provider.

mod display_media;

pub(crate) use display_media::DisplayMedia;
